/**
 * A text as it is read aloud. Speech engines take control characters as commands (Ctrl-A changes the voice, or plays a
 * file) and `[[...]]` as phonemes: here they are text.
 */
export function spokenText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, (controls) => (/[\n\r]/.test(controls) ? '\n' : ' '))
    .replace(/\[(?=\[)/g, '[ ');
}
