/**
 * The built-in pages, beside projects: each on its own origin, in its own window. No project can have one of these ids.
 */
export const builtInPageNames = ['settings', 'intercom', 'glass', 'keys'] as const;
export type BuiltInPageName = (typeof builtInPageNames)[number];

/**
 * Host name of a built-in page, below `.localhost`. The two layers are one site to the browser, so that they share a process.
 */
export const builtInPageHost = (name: string): string => (name === 'keys' ? 'keys.glass' : name);

/** Those that lie above the kiosk page: `glass` (messages, dialogs, notes, savers) and `keys` (the keyboard). */
export type LayerName = Extract<BuiltInPageName, 'glass' | 'keys'>;

/** `window.faceplateHost` of such a page, in its top frame only: JSON strings to the service and back. */
export interface BuiltInPageChannel {
  post(json: string): void;
  listen(receive: (json: string) => void): void;
}
