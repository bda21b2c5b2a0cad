import { Icon } from "../icons";
import { useServer } from "../state/server";
import { editorLink } from "./editor";

interface Props {
  projectId: string;
  path: string;
  line?: number;
}

/** Opens a file in the user's own editor. */
export function EditorLink({ projectId, path, line = 1 }: Props) {
  const root = useServer((state) => state.server?.projects.find(({ id }) => id === projectId)?.path);
  const template = useServer((state) => state.server?.editor_link);
  const href = root && template ? editorLink(template, `${root}/${path}`, line) : null;
  if (!href) return null;
  return (
    <a className="editor-link" href={href} title="Open in the editor" aria-label={`Open ${path} in the editor`}>
      <Icon name="external" />
    </a>
  );
}
