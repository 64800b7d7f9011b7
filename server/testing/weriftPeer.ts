/** The parts of werift's DtlsClient that take the messages of a handshake; server/testing/ imports no package. */
interface WeriftDtls<Message> {
  readonly dtls: { readonly flight: number };
  onHandleHandshakes: (messages: Message[]) => Promise<void>;
}

interface HandshakeMessage {
  readonly msg_type: number;
}

/** The parts of werift's RTCPeerConnection that begin and end a handshake. */
interface WeriftPeer<Message> {
  readonly dtlsTransports: readonly { dtls?: WeriftDtls<Message>; start(): Promise<void> }[];
  close(): Promise<void>;
}

/** HelloVerifyRequest (RFC 6347 section 4.2.1), and the flight of the client that answers it. */
const HELLO_VERIFY_REQUEST = 3;
const ANSWERED = 3;

/**
 * Lets werift's client go on when its first message is answered twice (RFC 6347 section 4.2.4): it repeats that message
 * after half a second, which a busy machine needs, and gives up at the second answer.
 */
export function takeRepeatedAnswer<Message extends HandshakeMessage>(client: WeriftDtls<Message>): void {
  const handle = client.onHandleHandshakes;
  client.onHandleHandshakes = (messages) =>
    handle(
      messages.filter(({ msg_type }) => msg_type !== HELLO_VERIFY_REQUEST || client.dtls.flight < ANSWERED),
    );
}

/** `takeRepeatedAnswer` for the client that a connection makes later. */
export function takeRepeatedAnswers<Message extends HandshakeMessage>(connection: WeriftPeer<Message>): void {
  for (const transport of connection.dtlsTransports) {
    const start = transport.start.bind(transport);
    transport.start = () => {
      const started = start();
      // The client is made before the first wait of `start`.
      if (transport.dtls !== undefined) takeRepeatedAnswer(transport.dtls);
      return started;
    };
  }
}

/**
 * Closes a werift connection for good. A handshake that was cut off would go on for half a minute, and one may even begin
 * after the end: a fixed `flight` past the last one stops both.
 */
export async function closeWerift<Message>(connection: WeriftPeer<Message>): Promise<void> {
  for (const transport of connection.dtlsTransports) {
    const { dtls } = transport;
    if (dtls === undefined) transport.start = async () => {};
    else Object.defineProperty(dtls.dtls, 'flight', { value: Number.MAX_SAFE_INTEGER, writable: false });
  }
  await connection.close();
}
