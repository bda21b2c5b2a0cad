/** The link that opens a file in an editor; null if the template is not a link. */
export function editorLink(template: string, path: string, line: number): string | null {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(template) || /^(javascript|data|vbscript|blob):/i.test(template)) return null;
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  // The slash before it in the template is the one that an absolute path starts with.
  return template
    .replaceAll("/{path}", `/${encoded.replace(/^\//, "")}`)
    .replaceAll("{path}", encoded)
    .replaceAll("{line}", String(line));
}
