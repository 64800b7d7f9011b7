/** Types around `container.sip` that follow from its events. */
export const sipTypes = `/** Payloads of \`sip.on\`. */
export type SipEvents = { [E in ContainerEvents['sip'] as E['event']]: E['payload'] };
`;

/** Members of `container.sip` that the page script answers itself. */
export const sipMembers = `  /** Listens to an event; adding the same listener again changes nothing. */
  on<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
  off<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
`;
