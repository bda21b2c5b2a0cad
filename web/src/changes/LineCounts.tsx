interface Props {
  added: number | null;
  removed: number | null;
}

/** "+3 −1", with words for screen readers. Empty for files that are not text. */
export function LineCounts({ added, removed }: Props) {
  if (added === null || removed === null) return null;
  return (
    <span className="line-counts">
      <span aria-hidden="true">
        <span className="line-counts-added">+{added}</span> <span className="line-counts-removed">−{removed}</span>
      </span>
      <span className="visually-hidden">
        {added} lines added, {removed} removed
      </span>
    </span>
  );
}
