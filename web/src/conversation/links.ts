/** Where a link leads: to another site, within its answer, or nowhere on this page (a path of the project). */
export function linkKind(address: string | undefined): "elsewhere" | "within" | "nowhere" {
  if (!address) return "nowhere";
  if (address.startsWith("#")) return "within";
  return /^(https?:\/\/|mailto:)/i.test(address) ? "elsewhere" : "nowhere";
}
