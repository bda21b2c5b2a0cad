import { CodeBlock } from "../conversation/CodeBlock";

const CLASSES: Readonly<Record<string, string>> = { "+": "diff-added", "-": "diff-removed" };

/** A diff as git writes it. */
export function UnifiedDiff({ diff }: { diff: string }) {
  return (
    <CodeBlock language="diff">
      {diff
        .trimEnd()
        .split("\n")
        .map((line, place) => (
          <span key={place} className={CLASSES[line.charAt(0)]}>
            {line}
            {"\n"}
          </span>
        ))}
    </CodeBlock>
  );
}
