import { z } from 'zod';
import { languages } from '../../contract/device.ts';

/** The layouts of letters that the keyboard has; each is named by its language. */
export const keyLayouts = languages;
export type KeyLayout = (typeof keyLayouts)[number];

/** What a field wants to be written with. */
export const keyModes = ['text', 'numeric', 'decimal', 'tel', 'email', 'url', 'search', 'password'] as const;
export type KeyMode = (typeof keyModes)[number];

/** What the Enter key does in a field (HTML standard, `enterkeyhint`). */
export const enterHints = ['enter', 'done', 'go', 'next', 'previous', 'search', 'send'] as const;
export type EnterHint = (typeof enterHints)[number];

/** What the service tells the page of the keyboard: how to look for the field that has the focus now. */
export interface ShownKeys {
  readonly mode: KeyMode;
  readonly enter: EnterHint;
  /** The first of them is shown first. */
  readonly layouts: readonly KeyLayout[];
  /** Of the keys, in pixels: where no window can be a part of the screen, that of the page is higher. */
  readonly height: number;
  /** Whether the keyboard opens now: it begins with small letters. */
  readonly opens: boolean;
}

/** The keys are hidden from now on, for a screen reader too, until they are shown again. */
export interface HiddenKeys {
  readonly closed: true;
}

/** A message of the page of the keyboard: a key, or the wish to go. */
export const keysMessage = z.union([
  z.strictObject({
    press: z.union([
      z.enum(['Enter', 'Backspace']),
      // One character as a person counts them: all of our keys are single code points.
      z.string().refine((text) => [...text].length === 1 && !/\p{Cc}/u.test(text)),
    ]),
  }),
  z.strictObject({ hide: z.literal(true) }),
]);

const attribute = z.string().max(20);

/** A report of the script that watches the fields of a page (preload/fieldWatch.ts). */
export const fieldReport = z.strictObject({
  by: z.enum(['touch', 'other']).optional(),
  closed: z.literal(true).optional(),
  again: z.literal(true).optional(),
  field: z
    .strictObject({
      type: attribute,
      inputMode: attribute,
      enterKeyHint: attribute,
    })
    .optional(),
});
