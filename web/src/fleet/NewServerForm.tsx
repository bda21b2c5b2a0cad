import { useState } from "react";

import { Button } from "../components/Button";
import { fleetActions } from "./actions";
import { Field } from "./Field";
import { MoreForm } from "./MoreForm";

const EMPTY = { url: "", models: "", slots: "1" };

/** Adds a model server that workers may share. */
export function NewServerForm({ onAdded }: { onAdded: () => void }) {
  const [server, setServer] = useState(EMPTY);
  const field = (name: keyof typeof server) => ({
    value: server[name],
    onChange: (event: { target: { value: string } }) => {
      setServer({ ...server, [name]: event.target.value });
    },
  });
  const add = async () => {
    const { url, models, slots } = server;
    const named = models.split(",").map((each) => each.trim());
    await fleetActions.addServer({ url: url.trim(), models: named.filter(Boolean), slots: Number(slots) });
    setServer(EMPTY);
    onAdded();
    return `${url.trim()} is on the list.`;
  };
  return (
    <MoreForm summary="Add a model server" act={add}>
      {(underWay) => (
        <>
          <Field
            label="Address"
            hint="The address that workers use, including /v1. If it is already on the list, its models and slots change."
            placeholder="http://gpu-1:8080/v1"
            required
            maxLength={500}
            {...field("url")}
          />
          <Field label="Models" hint="The models it has, separated by commas; by default, any." {...field("models")} />
          <Field label="Slots" hint="How many calls it answers at once." type="number" min={1} max={10_000} required {...field("slots")} />
          <div className="new-run-buttons">
            <Button submit icon="plus" disabled={underWay || !server.url.trim()}>
              Add
            </Button>
          </div>
        </>
      )}
    </MoreForm>
  );
}
