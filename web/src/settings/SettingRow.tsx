import { type ReactNode, useId, useState } from "react";

import type { SettingView } from "../api/types";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { entered, fieldText, settingTitle, sourceWords } from "./rows";

interface Props {
  setting: SettingView;
  /** Null removes the user's own value. */
  onChange: (value: unknown) => Promise<void>;
}

/** One setting: its value, its origin, and a field if the user may change it. */
export function SettingRow({ setting, onChange }: Props) {
  const { problem, underWay, attempt } = useAttempt();
  const [draft, setDraft] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const id = useId();
  const text = draft ?? fieldText(setting);
  const save = (typed: string) => {
    const entry = entered(setting.kind, typed);
    if ("problem" in entry) {
      setWrong(entry.problem);
      return;
    }
    setWrong(null);
    attempt(async () => {
      await onChange(entry.value);
      setDraft(null);
    });
  };
  const message = wrong ?? problem;
  return (
    <form
      className="setting"
      onSubmit={(event) => {
        event.preventDefault();
        save(text);
      }}
    >
      <div className="setting-words">
        <label htmlFor={id}>{settingTitle(setting)}</label>
        <p id={`${id}-help`} className="view-quiet">
          <Words text={setting.help} />
        </p>
      </div>
      <div className="setting-value">
        <Field
          id={id}
          setting={setting}
          text={text}
          onText={setDraft}
          onChosen={(value) => {
            save(value);
          }}
        />
        <p className="setting-source view-quiet">
          {!setting.fixed && <span title={setting.where || undefined}>{sourceWords(setting)}</span>}
          {setting.source === "personal" && !setting.fixed && (
            <Button
              look="quiet"
              disabled={underWay}
              onClick={() => {
                save("");
              }}
              aria-label={`Reset ${settingTitle(setting)}`}
            >
              Reset
            </Button>
          )}
          {draft !== null && draft !== fieldText(setting) && (
            <Button submit disabled={underWay} aria-label={`Save ${settingTitle(setting)}`}>
              Save
            </Button>
          )}
        </p>
        {setting.fixed && <p className="view-quiet">{setting.fixed}.</p>}
        {message && (
          <p role="alert" className="view-problem">
            {message}
          </p>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  id: string;
  setting: SettingView;
  text: string;
  onText: (text: string) => void;
  /** For a choice, which needs no further click. */
  onChosen: (value: string) => void;
}

function Field({ id, setting, text, onText, onChosen }: FieldProps) {
  const { kind, choices, fixed, is_set: isSet } = setting;
  const common = { id, className: "field", disabled: fixed !== "", "aria-describedby": `${id}-help` };
  const typed = (event: { target: { value: string } }) => {
    onText(event.target.value);
  };
  switch (kind) {
    case "choice":
    case "boolean":
      return (
        <select
          {...common}
          value={text}
          onChange={(event) => {
            onChosen(event.target.value);
          }}
        >
          {text === "" && <option value="">not set</option>}
          {(kind === "boolean" ? ["yes", "no"] : choices).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      );
    case "list":
      return <textarea {...common} rows={Math.max(2, text.split("\n").length)} value={text} placeholder="one per line" spellCheck={false} onChange={typed} />;
    case "secret":
      return (
        <input
          {...common}
          type="password"
          autoComplete="off"
          value={text}
          placeholder={isSet ? "set, not shown" : "not set"}
          onChange={typed}
        />
      );
    default:
      return (
        <input
          {...common}
          type="text"
          inputMode={kind === "text" ? undefined : "decimal"}
          value={text}
          placeholder="not set"
          spellCheck={false}
          autoComplete="off"
          onChange={typed}
        />
      );
  }
}

/** Plain text with names in backticks. */
function Words({ text }: { text: string }) {
  return text.split("`").map((part, index): ReactNode => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
