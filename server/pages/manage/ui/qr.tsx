import { t } from '../language.ts';

/** The dark squares of a QR code on white. @param rows of 0 and 1 */
export function Qr({ rows, url }: { rows: readonly string[]; url: string }) {
  const squares = rows.flatMap((row, y) =>
    [...row].map((bit, x) => (bit === '1' ? `M${x} ${y}h1v1h-1z` : '')),
  );
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={t('qrOf', { url })}
      data-testid="qr"
    >
      <path d={squares.join('')} />
    </svg>
  );
}
