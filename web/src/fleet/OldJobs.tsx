import { useState } from "react";

import { Button } from "../components/Button";
import { plural } from "../conversation/amounts";
import { fleetActions } from "./actions";
import { Field } from "./Field";
import { MoreForm } from "./MoreForm";

/** Deletes jobs that ended long ago, with their results. */
export function OldJobs({ onDeleted }: { onDeleted: () => void }) {
  const [days, setDays] = useState("30");
  const prune = async () => {
    const { deleted } = await fleetActions.prune(Number(days));
    onDeleted();
    return `${plural(deleted, "job")} deleted.`;
  };
  return (
    <MoreForm summary="Delete old jobs" act={prune}>
      {(underWay) => (
        <>
          <Field
            label="Days since they ended"
            hint="Also deletes their results and logs, for everybody. 0 deletes all ended jobs. Waiting and running jobs stay."
            type="number"
            min={0}
            step="any"
            required
            value={days}
            onChange={(event) => {
              setDays(event.target.value);
            }}
          />
          <div className="new-run-buttons">
            <Button submit look="danger" icon="trash" disabled={underWay}>
              Delete
            </Button>
          </div>
        </>
      )}
    </MoreForm>
  );
}
