/** One question to a device. */
export interface DeviceQuestion {
  readonly url: URL;
  /** The address that was judged; it alone is connected to. */
  readonly address: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export interface DeviceAnswer {
  readonly status: number;
  /** Names in lower case; values of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined when there are more than were asked for. */
  readonly bytes: Uint8Array | undefined;
}

/** Asks devices over HTTP. */
export interface HttpDriver {
  /**
   * Asks once and follows nothing. @param maxBytes of the answer's body
   * @throws FaceplateError HARDWARE_ERROR (a certificate that is not trusted), a system error, the reason of `signal`
   */
  ask(question: DeviceQuestion, maxBytes: number, signal: AbortSignal): Promise<DeviceAnswer>;
}
