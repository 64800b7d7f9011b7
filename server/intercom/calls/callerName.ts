/** Longest name that is shown, in characters. */
const LONGEST = 64;

/**
 * A stranger's name, made safe to show and store: one line, without control characters and without characters that
 * reverse or hide the text beside them (Unicode Cc, Cf, Zl, Zp, Cs, Co), at most 64 characters.
 */
export function cleanName(text: string): string {
  const line = text
    .slice(0, 1024)
    .replace(/[\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  return Array.from(line).slice(0, LONGEST).join('');
}
