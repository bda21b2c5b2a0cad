/** Where an address in an answer leads: elsewhere, within the answer, or (a path of the project) nowhere on this page. */
export function linkKind(address: string | undefined): "elsewhere" | "within" | "nowhere" {
  if (!address) return "nowhere";
  if (address.startsWith("#")) return "within";
  return /^(https?:\/\/|mailto:)/i.test(address) ? "elsewhere" : "nowhere";
}
