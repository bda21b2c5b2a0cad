interface Props<Value extends string> {
  label: string;
  choices: readonly { value: Value; words: string; help?: string }[];
  chosen: Value;
  className?: string;
  onChoose: (value: Value) => void;
}

/** A choice between a few options, all visible. */
export function Segmented<Value extends string>({ label, choices, chosen, className = "", onChoose }: Props<Value>) {
  return (
    <div className={`segmented ${className}`.trim()} role="group" aria-label={label}>
      {choices.map(({ value, words, help }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          title={help}
          onClick={() => {
            onChoose(value);
          }}
        >
          {words}
        </button>
      ))}
    </div>
  );
}
