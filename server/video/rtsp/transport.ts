/** Takes the packets of the tracks that were set up. `track` counts from 0 in the order of SETUP. */
export interface PacketSink {
  onRtp(track: number, packet: Buffer): void;
  onRtcp(track: number, packet: Buffer): void;
}

/** A transport from the camera to us: the SETUP header, and the handling of its answer. */
export interface MediaTransport {
  /** The Transport header for SETUP of a track. */
  offer(track: number): string | Promise<string>;
  /**
   * Takes the Transport header of the answer.
   * @throws FaceplateError CAMERA_PROTOCOL if the camera insists on another transport.
   */
  accept(track: number, answer: string | undefined): void;
  /** Releases its resources. Safe to call twice. */
  close(): void;
}
