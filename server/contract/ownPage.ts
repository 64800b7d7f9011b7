/**
 * The pages of Faceplate's own, beside projects: each at `http://<name>.localhost:<port>/`, in a window of its own.
 * No project can have one of these ids.
 */
export const ownPageNames = ['settings', 'intercom'] as const;
export type OwnPageName = (typeof ownPageNames)[number];

/** `window.faceplateHost` of such a page, in its top frame only: JSON strings to the service and back. */
export interface OwnPageChannel {
  post(json: string): void;
  listen(receive: (json: string) => void): void;
}
