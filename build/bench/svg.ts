/** Words at a point of a picture. @param look further attributes */
export function svgText(x: number, y: number, words: string, anchor = 'start', look = ''): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${look}>${words}</text>`;
}

/** A picture on white. @param parts its elements, the lowest first */
export function svgPicture(
  { width, height, title }: { readonly width: number; readonly height: number; readonly title: string },
  parts: readonly string[],
): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="14">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
}
