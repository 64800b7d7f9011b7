/** Tones that the intercom page plays itself. */
export type IntercomTone = 'ring' | 'ringback' | 'auto-answer' | 'busy' | 'none';

/** An offer of the service to the intercom page, and which of the panel's sources it sends: they open after its answer. */
export interface IntercomOffer {
  readonly connection: string;
  readonly sdp: string;
  readonly microphone: boolean;
  readonly camera: boolean;
}

/** Service to intercom page, as JSON strings; each is answered. */
export type IntercomRequest = { readonly id: number } & (
  | ({ readonly do: 'connect' } & IntercomOffer)
  | { readonly do: 'close'; readonly connection: string }
  | { readonly do: 'play'; readonly tone: IntercomTone }
  /** 0 to 1 */
  | { readonly do: 'volume'; readonly volume: number }
);

/**
 * Intercom page to service: it starts, it reports what it has to do without, or it answers; `result` is the SDP answer
 * of `connect`.
 */
export type IntercomReply =
  | { readonly ready: true }
  | { readonly problem: string }
  | { readonly id: number; readonly result: string | null }
  | { readonly id: number; readonly error: string };
