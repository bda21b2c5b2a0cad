/** The logo: a ball that fell short, and its second bounce, which goes in. Together they are an m. */
export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path className="mark-path" d="M4 26V15a6 6 0 0 1 12 0v11M16 26V13a6 6 0 0 1 12 0v4" />
      <circle className="mark-ball" cx="28" cy="24" r="3.2" />
    </svg>
  );
}
