import { PROFILES, type ProfileName, allowance } from "./words";

interface Props {
  chosen: ProfileName;
  onChoose: (name: ProfileName) => void;
}

/** How much the model may ask for. */
export function ProfileField({ chosen, onChoose }: Props) {
  return (
    <fieldset className="profiles">
      <legend>Profile</legend>
      {(Object.keys(PROFILES) as ProfileName[]).map((name) => (
        <label key={name} className="profile">
          <input
            type="radio"
            name="profile"
            value={name}
            checked={name === chosen}
            onChange={() => {
              onChoose(name);
            }}
          />
          <span>
            <b>{name}</b> {PROFILES[name].when}
            <span className="view-quiet">{allowance(name)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
