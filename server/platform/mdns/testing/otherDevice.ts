import Bonjour from 'bonjour-service';

/** Another device on the loopback network of a test, with a UDP port other than 5353. */
export function otherDevice(port: number): Bonjour {
  return new Bonjour({ interface: '127.0.0.1', bind: '0.0.0.0', port } as never);
}
