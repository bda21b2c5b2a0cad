import { splitPath } from "./places";

interface Props {
  path: string;
  onGo: (path: string) => void;
}

/** A file that can be gone to: its name, and quietly where it lies. */
export function FileLink({ path, onGo }: Props) {
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
      <span className="file-link-name">{name}</span> {folder && <span className="file-link-folder">{folder}</span>}
    </button>
  );
}
