import { CodeBlock } from "../conversation/CodeBlock";

const CLASSES: Readonly<Record<string, string>> = { "+": "diff-added", "-": "diff-removed" };

/** A diff in git's format. */
export function UnifiedDiff({ diff }: { diff: string }) {
  return (
    <CodeBlock language="diff">
      {diff
        .trimEnd()
        .split("\n")
        .map((line, index) => (
          <span key={index} className={CLASSES[line.charAt(0)]}>
            {line}
            {"\n"}
          </span>
        ))}
    </CodeBlock>
  );
}
