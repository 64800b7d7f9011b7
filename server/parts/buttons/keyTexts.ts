/** Rows of keys by the number of their first one, as include/uapi/linux/input-event-codes.h numbers a US keyboard. */
const ROWS: readonly (readonly [first: number, plain: string, shifted: string])[] = [
  [2, '1234567890-=', '!@#$%^&*()_+'],
  [16, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [30, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [43, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
  [55, '*', '*'],
  [57, ' ', ' '],
  [71, '789-456+1230.', '789-456+1230.'],
  [98, '/', '/'],
];

const TEXTS = new Map(
  ROWS.flatMap(([first, plain, shifted]) =>
    [...plain].map((text, index) => [first + index, [text, shifted[index]!]] as const),
  ),
);

export const SHIFTS: ReadonlySet<number> = new Set([42, 54]);
/** Enter, on the block of digits too, and Tab: readers end with one of them. */
export const ENDS: ReadonlySet<number> = new Set([28, 96, 15]);

/** What a key types on a US keyboard; undefined for one that types nothing. */
export function textOf(code: number, isShifted: boolean): string | undefined {
  return TEXTS.get(code)?.[isShifted ? 1 : 0];
}
