/** The parts of werift's RTCPeerConnection that end it; server/testing/ imports no package. */
interface WeriftPeer {
  readonly dtlsTransports: readonly { dtls?: { readonly dtls: object }; start(): Promise<void> }[];
  close(): Promise<void>;
}

/**
 * Closes a werift connection for good. A handshake that was cut off would go on for half a minute, and one may even begin
 * after the end: a fixed `flight` past the last one stops both.
 */
export async function closeWerift(connection: WeriftPeer): Promise<void> {
  for (const transport of connection.dtlsTransports) {
    const { dtls } = transport;
    if (dtls === undefined) transport.start = async () => {};
    else Object.defineProperty(dtls.dtls, 'flight', { value: Number.MAX_SAFE_INTEGER, writable: false });
  }
  await connection.close();
}
