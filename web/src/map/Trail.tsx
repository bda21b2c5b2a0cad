import { type Shown, splitPath } from "./navigation";

interface Props {
  shown: Shown;
  /** The name of the current group, or of one on the trail. */
  group: string;
  onShow: (shown: Shown) => void;
}

/** The trail back, file by file. */
export function Trail({ shown, group: groupName, onShow }: Props) {
  const { trail, group } = shown;
  if (trail.length === 0 && group === null) return null;
  const before: { words: string; title: string; to: Shown }[] = [
    { words: "Overview", title: "The whole project", to: { trail: [], group: null } },
    ...(group !== null && trail.length > 0 ? [{ words: groupName, title: groupName, to: { trail: [], group } }] : []),
    ...trail.slice(0, -1).map((path, index) => ({
      words: splitPath(path).name,
      title: path,
      to: { trail: trail.slice(0, index + 1), group },
    })),
  ];
  return (
    <nav className="trail" aria-label="Path to this file">
      <ol className="trail-places">
        {before.map(({ words, title, to }) => (
          <li key={title}>
            <button
              type="button"
              className="file-link"
              title={title}
              onClick={() => {
                onShow(to);
              }}
            >
              {words}
            </button>
          </li>
        ))}
        <li aria-current="location">{splitPath(trail.at(-1) ?? groupName).name}</li>
      </ol>
    </nav>
  );
}
