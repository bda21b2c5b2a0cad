interface Props<Value extends string> {
  label: string;
  choices: readonly { value: Value; words: string }[];
  chosen: Value;
  onChoose: (value: Value) => void;
}

/** One of a few, all of them in sight. */
export function Segmented<Value extends string>({ label, choices, chosen, onChoose }: Props<Value>) {
  return (
    <div className="segmented" role="group" aria-label={label}>
      {choices.map(({ value, words }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
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
