import type { SchemaRunProfile as Profile } from "../api/schema";
import { type ProfileName, WHEN, allowance } from "./words";

interface Props {
  profiles: readonly Profile[];
  chosen: ProfileName;
  onChoose: (name: ProfileName) => void;
}

/** How much the model may ask for. */
export function ProfileField({ profiles, chosen, onChoose }: Props) {
  return (
    <fieldset className="profiles">
      <legend>Profile</legend>
      {profiles.map((profile) => (
        <label key={profile.name} className="profile">
          <input
            type="radio"
            name="profile"
            value={profile.name}
            checked={profile.name === chosen}
            onChange={() => {
              onChoose(profile.name);
            }}
          />
          <span>
            <b>{profile.name}</b> {WHEN[profile.name]}
            <span className="view-quiet">{allowance(profile)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
