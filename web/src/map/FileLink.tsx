import { splitPath } from "./places";

interface Props {
  path: string;
  /** Its name alone, where there is little room. */
  short?: boolean;
  onGo: (path: string) => void;
}

/** A file that can be gone to: its name, and quietly where it lies. */
export function FileLink({ path, short = false, onGo }: Props) {
  const { folder, name } = splitPath(path);
  return (
    <button
      type="button"
      className="file-link"
      title={path}
      onClick={() => {
        onGo(path);
      }}
    >
      <span className="file-link-name">{name}</span>{" "}
      {folder && !short && <span className="file-link-folder">{folder}</span>}
    </button>
  );
}
