/** The transports of SIP (RFC 3261 section 18). */
export type Protocol = 'udp' | 'tcp' | 'tls';

/** The default ports (RFC 3261 section 19.1.2). */
export const DEFAULT_PORT: Readonly<Record<Protocol, number>> = { udp: 5060, tcp: 5060, tls: 5061 };
