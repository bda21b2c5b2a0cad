import { BreakableName } from "./BreakableName";
import { searchFor, splitPath } from "./navigation";

interface Props {
  path: string;
  /** Only its name, if there is little room. */
  short?: boolean;
  onGo: (path: string) => void;
}

/** A link to a file: its name, and its folder in a quiet colour. A link, so that it opens in a new tab too. */
export function FileLink({ path, short = false, onGo }: Props) {
  const { folder, name } = splitPath(path);
  return (
    <a
      className="file-link"
      href={`?${searchFor({ trail: [path], group: null }).toString()}`}
      title={path}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        onGo(path);
      }}
    >
      <span className="file-link-name">
        <BreakableName name={name} />
      </span>{" "}
      {folder && !short && <span className="file-link-folder">{folder}</span>}
    </a>
  );
}
