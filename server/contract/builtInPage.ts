/**
 * The built-in pages, beside projects: each at `http://<name>.localhost:<port>/`, in its own window. No project can
 * have one of these ids.
 */
export const builtInPageNames = ['settings', 'intercom'] as const;
export type BuiltInPageName = (typeof builtInPageNames)[number];

/** `window.faceplateHost` of such a page, in its top frame only: JSON strings to the service and back. */
export interface BuiltInPageChannel {
  post(json: string): void;
  listen(receive: (json: string) => void): void;
}
