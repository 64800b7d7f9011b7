import type { CdpCommands } from '../process/cdpProtocol.ts';

/** Sends a command to the target's own session. */
export type SendTo = <M extends keyof CdpCommands>(
  method: M,
  params: CdpCommands[M]['params'],
) => Promise<CdpCommands[M]['result']>;

/** What is watched: the kiosk page, or the blank window over it. */
export interface LiveTarget {
  readonly sessionId: string;
  readonly send: SendTo;
  readonly kind: 'page' | 'blank';
  /** Whether input is kept from the page, because something lies over it. */
  isDeaf(): boolean;
  /** Pixels of the window to one of the page, where they differ: input is sent in those of the window. */
  scale?(): number;
  /** Pixels of its pictures to one of the page, where they differ. */
  pictureScale?(): number;
}
