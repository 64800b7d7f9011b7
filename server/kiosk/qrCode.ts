import { encode } from 'uqr';

/** A QR code (ISO/IEC 18004, level M) with its quiet zone, row by row; 1 is dark. */
export function qrRows(text: string): string[] {
  return encode(text, { ecc: 'M', border: 2 }).data.map((row) =>
    row.map((isDark) => (isDark ? '1' : '0')).join(''),
  );
}

/** The same as an SVG picture that fills its box. The text itself is not in it. */
export function qrSvg(text: string): string {
  const rows = qrRows(text);
  const dark = rows
    .flatMap((row, y) => [...row].map((module, x) => (module === '1' ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rows.length} ${rows.length}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${rows.length}v${rows.length}h-${rows.length}z"/><path d="${dark}"/></svg>`;
}
