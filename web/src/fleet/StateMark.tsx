import { Icon } from "../icons";
import { capitalized } from "../state/words";
import { type JobState, STATE_ICONS } from "./words";

export function StateMark({ state }: { state: JobState }) {
  return (
    <span className={`run-mark run-mark-${state}`}>
      <Icon name={STATE_ICONS[state]} /> {capitalized(state)}
    </span>
  );
}
