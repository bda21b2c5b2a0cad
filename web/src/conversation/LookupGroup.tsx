import { CallLine } from "./CallLine";
import { Fold } from "./Fold";
import { OutcomeMark } from "./OutcomeMark";
import type { Call } from "./steps";
import { groupWords } from "./words";

interface Props {
  calls: readonly Call[];
  live: boolean;
}

/** Consecutive calls that only read the project, as one line. */
export function LookupGroup({ calls, live }: Props) {
  const { heading, mark, words } = groupWords(calls, live);
  const repaired = calls.filter(({ call }) => call.repairs.length > 0).length;
  const summary = (
    <span className="call-line">
      <OutcomeMark mark={mark} />
      <span className="call-group">{heading}</span>
      <span className="call-about" />
      {repaired > 0 && <span className="call-repaired">{repaired} repaired</span>}
      <span className={`call-outcome call-outcome-${mark}`}>{words}</span>
    </span>
  );
  return (
    <Fold className="call" summary={summary}>
      {() => (
        <div className="call-members">
          {calls.map(({ key, call, result }) => (
            <CallLine key={key} call={call} result={result} live={live} />
          ))}
        </div>
      )}
    </Fold>
  );
}
