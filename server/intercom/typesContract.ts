/** Types around `container.sip` that follow from its events. */
export const sipTypes = `/** Payloads of \`sip.on\`. */
export type SipEvents = { [E in ContainerEvents['sip'] as E['event']]: E['payload'] };

/** Where a picture of the call is shown; \`rect\` is in fractions of the screen. */
export type SipVideo = { readonly target: 'remote' | 'local' } & (
  | { readonly divId: string }
  | { readonly rect: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } }
);
`;

/** Members of `container.sip` that the page script answers itself. */
export const sipMembers = `  /** Listens to an event; adding the same listener again changes nothing. */
  on<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
  off<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
  /**
   * Plays a picture of the call over an element or a part of the screen, and follows it, until the call ends.
   * Without a call it changes nothing.
   */
  showVideo(video: SipVideo): Promise<SipStatus>;
  resizeVideo(video: SipVideo): Promise<SipStatus>;
  /** Without a target: both pictures. */
  hideVideo(video?: { target?: SipVideo['target'] }): Promise<SipStatus>;
`;
