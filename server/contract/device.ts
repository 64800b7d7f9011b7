/** What the panel itself speaks. */
export const languages = ['en', 'de', 'es'] as const;
export type Language = (typeof languages)[number];
