interface TargetFacts {
  /** Whether an IPv4 address belongs to the local network. */
  isLocal(address: string): boolean;
  /** The addresses of the panel itself. */
  ownAddresses(): readonly string[];
  /** The ports that the panel itself serves. */
  ownPorts(): readonly (number | 'off')[];
  /** Whether every part of the board is simulated. */
  readonly isSimulated: boolean;
}

/**
 * Which devices may be asked: those of the local network, on a simulated board also of this machine, and never the
 * panel itself.
 */
export function targetRule({ isLocal, ownAddresses, ownPorts, isSimulated }: TargetFacts) {
  return (address: string, port: number): boolean => {
    if (!isLocal(address)) return false;
    const isLoopback = address.startsWith('127.');
    if (isLoopback && !isSimulated) return false;
    // The port first: asking for the addresses of this machine takes long.
    if (!ownPorts().includes(port)) return true;
    return !isLoopback && !ownAddresses().includes(address);
  };
}
