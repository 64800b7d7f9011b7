/** Messages between Electron's main process and the preload script. */
export const channels = {
  /** Asks, at document start, for the container's description; null for a page that gets no bridge. */
  spec: 'faceplate:spec',
  /** JSON strings of the bridge, both ways. */
  bridge: 'faceplate:bridge',
  /** JSON strings of a built-in page, both ways. */
  own: 'faceplate:own',
  /** How many fingers rest on the kiosk page. */
  fingers: 'faceplate:fingers',
  /** The kiosk page keeps the panel awake. */
  keepAwake: 'faceplate:keepAwake',
  /** What the window guard refuses a frame of the kiosk page. */
  refused: 'faceplate:refused',
  /** The address of a script of the page's own origin that did not load. */
  missingScript: 'faceplate:missingScript',
  /** A question of the kiosk page as JSON; the page is blocked until it is answered, with JSON or null. */
  question: 'faceplate:question',
} as const;
