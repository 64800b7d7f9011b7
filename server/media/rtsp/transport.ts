/** Takes the packets of the tracks that were set up. `track` counts from 0 in the order of SETUP. */
export interface PacketSink {
  onRtp(track: number, packet: Buffer): void;
  onRtcp(track: number, packet: Buffer): void;
}

/** A way from the camera to us: what goes into SETUP, and what is made of the answer. */
export interface MediaTransport {
  /** The Transport header for SETUP of a track. */
  offer(track: number): string | Promise<string>;
  /**
   * Takes the Transport header of the answer.
   * @throws FaceplateError CAMERA_PROTOCOL when the camera wants to send some other way.
   */
  accept(track: number, answer: string | undefined): void;
  /** Frees what it holds. Safe to call twice. */
  close(): void;
}
