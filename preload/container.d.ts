// Types of window.container, Faceplate 0.1.0. Made from the contract by build/generate/main.ts; do not edit.

/** Codes of a rejected promise's `error.code`. */
type ContainerErrorCode =
  | 'INVALID_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_APPROVED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'PACKAGE_NOT_FOUND'
  | 'SESSION_NOT_FOUND'
  | 'PROJECT_NOT_FOUND'
  | 'REQUEST_TIMEOUT'
  | 'CONFLICT'
  | 'LOCKED_OUT'
  | 'PORT_BUSY'
  | 'TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UNSUPPORTED_CODEC'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'SIP_DISABLED'
  | 'UNSUPPORTED_HARDWARE'
  | 'CAMERA_UNREACHABLE'
  | 'CAMERA_UNAUTHORIZED'
  | 'CAMERA_NOT_FOUND'
  | 'CAMERA_PROTOCOL'
  | 'UPDATE_FAILED'
  | 'MEDIA_UNREACHABLE'
  | 'HARDWARE_ERROR'
  | 'SESSION_LIMIT'
  | 'STARTING'
  | 'SHUTTING_DOWN'
  | 'CAMERA_TIMEOUT'
  | 'HARDWARE_TIMEOUT'
  | 'PAGE_TIMEOUT'
  | 'STORAGE_FULL';

interface ContainerError extends Error {
  code: ContainerErrorCode;
  /** Path of the bad field, where there is one. */
  field?: string;
}

/** Fields of each action of `gpioBridge.postMessage`, besides `action`. */
interface GpioActions {
  /** The state of the LED bar. */
  ledState: {
    action: 'ledState';
  };
  /** Switch the LED bar on or off; the colour is kept. */
  ledOn: {
    action: 'ledOn';
  };
  /** Switch the LED bar on or off; the colour is kept. */
  ledOff: {
    action: 'ledOff';
  };
  /** Set the colour of the LED bar; on or off is kept. */
  ledColor: {
    action: 'ledColor';
    red: number;
    green: number;
    blue: number;
  };
  /** Drive a pin or relay; the level is read back. */
  write: {
    action: 'write';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
  };
  /** Read the level of a pin or relay. */
  read: {
    action: 'read';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
    pin: number;
  };
  /** Send bytes; the answer comes when they have left the port. */
  serialWrite: {
    action: 'serialWrite';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    baudRate: number;
    /** 8 unless the board profile says otherwise */
    dataBits?: number;
    /** none unless the board profile says otherwise */
    parity?: 'none' | 'even' | 'odd';
    /** 1 unless the board profile says otherwise */
    stopBits?: number;
    /** hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data; none unless the board profile says otherwise */
    flowControl?: 'none' | 'hardware' | 'software';
    /** bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \x before each; at least one */
    hex: string;
  };
  /** Receive bytes: returns 20 ms after the last byte, or empty after the timeout. With `until` or `length` it waits for as much instead, at most until the timeout. Each page and each token has its own place in the last 64 KiB. */
  serialRead: {
    action: 'serialRead';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    baudRate: number;
    /** 8 unless the board profile says otherwise */
    dataBits?: number;
    /** none unless the board profile says otherwise */
    parity?: 'none' | 'even' | 'odd';
    /** 1 unless the board profile says otherwise */
    stopBits?: number;
    /** hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data; none unless the board profile says otherwise */
    flowControl?: 'none' | 'hardware' | 'software';
    /** milliseconds */
    timeout: number;
    /** bytes as hex, at most 64: returns what came up to them, with them, such as 0D */
    until?: string;
    /** returns so many bytes */
    length?: number;
  };
  /** Hold the line in the break state; the answer comes at its end. */
  serialBreak: {
    action: 'serialBreak';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    baudRate: number;
    /** 8 unless the board profile says otherwise */
    dataBits?: number;
    /** none unless the board profile says otherwise */
    parity?: 'none' | 'even' | 'odd';
    /** 1 unless the board profile says otherwise */
    stopBits?: number;
    /** hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data; none unless the board profile says otherwise */
    flowControl?: 'none' | 'hardware' | 'software';
    /** milliseconds */
    ms?: number;
  };
  /** Close a port; closing a closed port succeeds. */
  serialClose: {
    action: 'serialClose';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
  };
  /** Read values of a Modbus device: on a serial line of the board (RTU), or on the network (TCP). */
  modbusRead: {
    action: 'modbusRead';
    /** RTU over this serial port of the board, such as /dev/ttyS9 */
    port?: string;
    /** of the serial port; 9600 when left out */
    baudRate?: number;
    /** of the serial port; none when left out */
    parity?: 'none' | 'even' | 'odd';
    /** TCP to this device of the local network: IPv4 address or name */
    host?: string;
    /** 502 when left out */
    tcpPort?: number;
    /** 1 to 247 on a serial line */
    unit: number;
    kind: 'coil' | 'discrete' | 'holding' | 'input';
    /** as in the protocol: the first is 0 */
    address: number;
    /** at most 125 of holding and input, 2000 of coil and discrete */
    count?: number;
    /** for the answer of the device */
    timeoutMs?: number;
  };
  /** Write values of a Modbus device; the answer comes when the device has taken them. */
  modbusWrite: {
    action: 'modbusWrite';
    /** RTU over this serial port of the board, such as /dev/ttyS9 */
    port?: string;
    /** of the serial port; 9600 when left out */
    baudRate?: number;
    /** of the serial port; none when left out */
    parity?: 'none' | 'even' | 'odd';
    /** TCP to this device of the local network: IPv4 address or name */
    host?: string;
    /** 502 when left out */
    tcpPort?: number;
    /** 1 to 247 on a serial line */
    unit: number;
    kind: 'coil' | 'holding';
    /** as in the protocol: the first is 0 */
    address: number;
    /** coils are 0 or 1; at most 123 of holding, 1968 of coil */
    values: number[];
    /** for the answer of the device */
    timeoutMs?: number;
  };
  /** Simulate the outside world of a part: change an input, or let the serial peer send. */
  simulate: {
    action: 'simulate';
    part: 'gpio';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
  } | {
    action: 'simulate';
    part: 'climate';
    /** in °C; null: the sensor does not tell */
    temperature: number | null;
    /** relative, in %; null: the sensor does not tell */
    humidity: number | null;
  } | {
    action: 'simulate';
    part: 'proximity';
    /** somebody is near */
    near: boolean;
  } | {
    action: 'simulate';
    part: 'button';
    /** as in the board profile; else the number of its key */
    name: string;
    state: 'down' | 'up';
  } | {
    action: 'simulate';
    part: 'ir';
    code?: {
      /** nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20 */
      protocol: 'nec' | 'necx' | 'samsung32' | 'rc5' | 'rc6' | 'sony12' | 'sony15' | 'sony20';
      address: number;
      command: number;
    };
    /** microseconds of light and darkness in turn, light first; an odd count */
    timings?: number[];
  } | {
    action: 'simulate';
    part: 'scan';
    /** the reader, as in the board profile */
    name: string;
    /** what it typed, without its Enter; a longer one is cut */
    text: string;
  } | {
    action: 'simulate';
    part: 'serial';
    port: string;
    /** bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \x before each */
    hex: string;
  };
  /** The infrared ports. */
  irList: {
    action: 'irList';
  };
  /** Send an infrared code; the answer comes once it has been sent. */
  irSend: {
    action: 'irSend';
    /** as in the board profile; may be left out where one port sends */
    port?: string;
    /** further frames; 0 when left out */
    repeat?: number;
    /** in Hz; left out: of the protocol, else 38000 */
    carrier?: number;
    /** microseconds of light and darkness in turn, light first; an odd count */
    timings?: number[];
    /** Pronto hex, learned form: 0000 … */
    pronto?: string;
    /** what follows `sendir,<module>:<port>,` of Global Caché: id, frequency, repeat, offset, values */
    sendir?: string;
    /** a key of a known protocol */
    code?: {
      /** nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20 */
      protocol: 'nec' | 'necx' | 'samsung32' | 'rc5' | 'rc6' | 'sony12' | 'sony15' | 'sony20';
      address: number;
      command: number;
    };
  };
  /** Wait for the next key of a remote control, and answer with its code. */
  irLearn: {
    action: 'irLearn';
    /** may be left out where one port receives */
    port?: string;
    seconds?: number;
  };
}

/** What each action answers. */
interface GpioResults {
  ledState: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  ledOn: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  ledOff: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  ledColor: {
    status: 'ok';
    state: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
  };
  write: {
    status: 'ok';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
    ok: true;
  };
  read: {
    status: 'ok';
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
    ok: true;
  };
  serialWrite: {
    status: 'ok';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    sent: number;
  };
  serialRead: {
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    /** upper case, without blanks */
    hex: string;
    /** the same bytes as Latin-1 text */
    data: string;
  };
  serialBreak: {
    status: 'ok';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
  };
  serialClose: {
    status: 'ok';
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
  };
  modbusRead: {
    /** bits are 0 or 1 */
    values: number[];
  };
  modbusWrite: {
    /** those that were written */
    values: number[];
  };
  simulate: {
    status: 'ok';
  };
  irList: {
    ports: Array<{
      port: string;
      label: string;
      sends: boolean;
      receives: boolean;
      /** it can set the carrier when it sends, or measure it when it receives */
      carrier: boolean;
    }>;
  };
  irSend: {
    status: 'ok';
    port: string;
    /** length of what was sent */
    ms: number;
  };
  irLearn: {
    port: string;
    /** microseconds of light and darkness in turn, light first; an odd count */
    timings: number[];
    /** in Hz; null where the receiver cannot measure it */
    carrier: number | null;
    pronto: string;
    code: {
      /** nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20 */
      protocol: 'nec' | 'necx' | 'samsung32' | 'rc5' | 'rc6' | 'sony12' | 'sony15' | 'sony20';
      address: number;
      command: number;
      /** the repeat frame of NEC: the key is still held */
      repeat?: true;
    } | null;
  };
}

/** What `container.call` takes and answers, by the name of the command. */
interface ContainerCommands {
  /** The screen and the volume. */
  'display.state': {
    params: Record<string, never>;
    result: {
      /** whether the light is on; the page runs on without it */
      on: boolean;
      /** percent as it was set, also while dimmed; 0 can still be read; null: the board has none */
      brightness: number | null;
      /** percent; null: the board has none */
      volume: number | null;
      muted: boolean;
      /** off: the light is off, whoever switched it */
      idle: 'active' | 'dimmed' | 'saver' | 'off';
      /** the page's layout zoom; 1 = as it is made */
      zoom: number;
      /** degrees, clockwise */
      rotation: 0 | 90 | 180 | 270;
    };
  };
  /** Switch the light, set brightness, volume, zoom or rotation; what is not given stays. */
  'display.set': {
    params: {
      on?: boolean;
      /** percent; 0 is the lowest light that can still be read */
      brightness?: number;
      /** percent */
      volume?: number;
      muted?: boolean;
      /** the page's layout zoom; 1 = as it is made */
      zoom?: number;
      /** degrees, clockwise */
      rotation?: 0 | 90 | 180 | 270;
    };
    result: {
      /** whether the light is on; the page runs on without it */
      on: boolean;
      /** percent as it was set, also while dimmed; 0 can still be read; null: the board has none */
      brightness: number | null;
      /** percent; null: the board has none */
      volume: number | null;
      muted: boolean;
      /** off: the light is off, whoever switched it */
      idle: 'active' | 'dimmed' | 'saver' | 'off';
      /** the page's layout zoom; 1 = as it is made */
      zoom: number;
      /** degrees, clockwise */
      rotation: 0 | 90 | 180 | 270;
    };
  };
  /** As if the panel had been touched: wakes it, and restarts the idle clock. */
  'display.activity': {
    params: Record<string, never>;
    result: {
      /** whether the light is on; the page runs on without it */
      on: boolean;
      /** percent as it was set, also while dimmed; 0 can still be read; null: the board has none */
      brightness: number | null;
      /** percent; null: the board has none */
      volume: number | null;
      muted: boolean;
      /** off: the light is off, whoever switched it */
      idle: 'active' | 'dimmed' | 'saver' | 'off';
      /** the page's layout zoom; 1 = as it is made */
      zoom: number;
      /** degrees, clockwise */
      rotation: 0 | 90 | 180 | 270;
    };
  };
  /** The state of the LED bar. */
  'led.state': {
    params: Record<string, never>;
    result: {
      status: 'ok';
      state: {
        on: boolean;
        red: number;
        green: number;
        blue: number;
      };
    };
  };
  /** Switch the LED bar on or off; the colour is kept. */
  'led.on': {
    params: {
      on: boolean;
    };
    result: {
      status: 'ok';
      state: {
        on: boolean;
        red: number;
        green: number;
        blue: number;
      };
    };
  };
  /** Set the colour of the LED bar; on or off is kept. */
  'led.color': {
    params: {
      red: number;
      green: number;
      blue: number;
    };
    result: {
      status: 'ok';
      state: {
        on: boolean;
        red: number;
        green: number;
        blue: number;
      };
    };
  };
  /** Drive a pin or relay; the level is read back. */
  'gpio.write': {
    params: {
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
    };
    result: {
      status: 'ok';
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
      ok: true;
    };
  };
  /** Read the level of a pin or relay. */
  'gpio.read': {
    params: {
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
    };
    result: {
      status: 'ok';
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
      ok: true;
    };
  };
  /** All pins and relays, with label, level and last change. */
  'gpio.list': {
    params: Record<string, never>;
    result: {
      pins: Array<{
        /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
        pin: number;
        /** the text beside the connector */
        label: string;
        kind: 'io' | 'relay';
        /** null: it could not be read yet */
        level: 0 | 1 | null;
        /** last change since the start; null: none */
        since: string | null;
        /** changes since the start */
        edges: number;
        pulseUntil: string | null;
        /** the pin whose level forbids level 1 here */
        lockedBy: number | null;
      }>;
    };
  };
  /** Drive a pin for a time, then back to the level it had; answered when it begins. */
  'gpio.pulse': {
    params: {
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
      /** length in milliseconds */
      ms: number;
    };
    result: {
      status: 'ok';
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
      until: string;
    };
  };
  /** Temperature and humidity, read now. */
  'climate.state': {
    params: Record<string, never>;
    result: {
      /** in °C; null: the sensor does not tell */
      temperature: number | null;
      /** relative, in %; null: the sensor does not tell */
      humidity: number | null;
    };
  };
  /** Send bytes; the answer comes when they have left the port. */
  'serial.write': {
    params: {
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      baudRate: number;
      /** 8 unless the board profile says otherwise */
      dataBits?: number;
      /** none unless the board profile says otherwise */
      parity?: 'none' | 'even' | 'odd';
      /** 1 unless the board profile says otherwise */
      stopBits?: number;
      /** hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data; none unless the board profile says otherwise */
      flowControl?: 'none' | 'hardware' | 'software';
      /** bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \x before each; at least one */
      hex: string;
    };
    result: {
      status: 'ok';
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      sent: number;
    };
  };
  /** Receive bytes: returns 20 ms after the last byte, or empty after the timeout. With `until` or `length` it waits for as much instead, at most until the timeout. Each page and each token has its own place in the last 64 KiB. */
  'serial.read': {
    params: {
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      baudRate: number;
      /** 8 unless the board profile says otherwise */
      dataBits?: number;
      /** none unless the board profile says otherwise */
      parity?: 'none' | 'even' | 'odd';
      /** 1 unless the board profile says otherwise */
      stopBits?: number;
      /** hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data; none unless the board profile says otherwise */
      flowControl?: 'none' | 'hardware' | 'software';
      /** milliseconds */
      timeout: number;
      /** bytes as hex, at most 64: returns what came up to them, with them, such as 0D */
      until?: string;
      /** returns so many bytes */
      length?: number;
    };
    result: {
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      /** upper case, without blanks */
      hex: string;
      /** the same bytes as Latin-1 text */
      data: string;
    };
  };
  /** Hold the line in the break state; the answer comes at its end. */
  'serial.break': {
    params: {
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      baudRate: number;
      /** 8 unless the board profile says otherwise */
      dataBits?: number;
      /** none unless the board profile says otherwise */
      parity?: 'none' | 'even' | 'odd';
      /** 1 unless the board profile says otherwise */
      stopBits?: number;
      /** hardware: RTS and CTS; software: XON and XOFF, which take two bytes out of the data; none unless the board profile says otherwise */
      flowControl?: 'none' | 'hardware' | 'software';
      /** milliseconds */
      ms?: number;
    };
    result: {
      status: 'ok';
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
    };
  };
  /** Close a port; closing a closed port succeeds. */
  'serial.close': {
    params: {
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
    };
    result: {
      status: 'ok';
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
    };
  };
  /** Send one UDP datagram to an address of the local network. */
  'udp.send': {
    params: {
      host: string;
      port: number;
      /** bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \x before each */
      hex?: string;
      /** sent as UTF-8, instead of hex */
      text?: string;
      /** the port that it leaves from: one that this caller hears by `udp.listen`; else any free one */
      from?: number;
    };
    result: {
      status: 'ok';
      host: string;
      port: number;
      /** bytes */
      sent: number;
    };
  };
  /** Hear the datagrams that come to a port, as events `udp`, until the page or the token leaves. */
  'udp.listen': {
    params: {
      port: number;
      /** a multicast group that is joined, such as 224.0.23.12 of KNX/IP */
      group?: string;
    };
    result: {
      status: 'ok';
      port: number;
    };
  };
  /** Hear a port no longer; one that was not heard is no mistake. */
  'udp.unlisten': {
    params: {
      port: number;
    };
    result: {
      status: 'ok';
      port: number;
    };
  };
  /** Open a TCP connection to a device of the local network; events `tcp` tell what becomes of it and what the device sends. */
  'tcp.open': {
    params: {
      /** IPv4 address or name */
      host: string;
      port: number;
      /** over TLS, with a certificate that the system or kiosk.authorities trust, or that is pinned */
      tls?: boolean;
    };
    result: {
      id: string;
    };
  };
  /** Send bytes; those that the device does not take yet wait, up to 1 MiB. */
  'tcp.send': {
    params: {
      /** as tcp/open answered */
      id: string;
      /** bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \x before each */
      hex?: string;
      /** sent as UTF-8, instead of hex */
      text?: string;
    };
    result: {
      id: string;
    };
  };
  /** Close a connection; what waits is sent first. */
  'tcp.close': {
    params: {
      /** as tcp/open answered */
      id: string;
    };
    result: {
      id: string;
    };
  };
  /** Ask a device of the local network over HTTP or HTTPS, also one that answers no CORS. */
  'http.request': {
    params: {
      url: string;
      method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
      /** no cookies, and none that belong to the connection */
      headers?: Record<string, string>;
      /** sent as UTF-8, at most 1 MiB */
      body?: string;
      /** for all of it, redirects too */
      timeoutMs?: number;
    };
    result: {
      /** as the device answered, also 4xx and 5xx */
      status: number;
      /** names in lower case; never cookies */
      headers: Record<string, string>;
      /** where it is text */
      body?: string;
      /** where it is no text: upper case, without blanks */
      bodyHex?: string;
    };
  };
  /** Read values of a Modbus device: on a serial line of the board (RTU), or on the network (TCP). */
  'modbus.read': {
    params: {
      /** RTU over this serial port of the board, such as /dev/ttyS9 */
      port?: string;
      /** of the serial port; 9600 when left out */
      baudRate?: number;
      /** of the serial port; none when left out */
      parity?: 'none' | 'even' | 'odd';
      /** TCP to this device of the local network: IPv4 address or name */
      host?: string;
      /** 502 when left out */
      tcpPort?: number;
      /** 1 to 247 on a serial line */
      unit: number;
      kind: 'coil' | 'discrete' | 'holding' | 'input';
      /** as in the protocol: the first is 0 */
      address: number;
      /** at most 125 of holding and input, 2000 of coil and discrete */
      count?: number;
      /** for the answer of the device */
      timeoutMs?: number;
    };
    result: {
      /** bits are 0 or 1 */
      values: number[];
    };
  };
  /** Write values of a Modbus device; the answer comes when the device has taken them. */
  'modbus.write': {
    params: {
      /** RTU over this serial port of the board, such as /dev/ttyS9 */
      port?: string;
      /** of the serial port; 9600 when left out */
      baudRate?: number;
      /** of the serial port; none when left out */
      parity?: 'none' | 'even' | 'odd';
      /** TCP to this device of the local network: IPv4 address or name */
      host?: string;
      /** 502 when left out */
      tcpPort?: number;
      /** 1 to 247 on a serial line */
      unit: number;
      kind: 'coil' | 'holding';
      /** as in the protocol: the first is 0 */
      address: number;
      /** coils are 0 or 1; at most 123 of holding, 1968 of coil */
      values: number[];
      /** for the answer of the device */
      timeoutMs?: number;
    };
    result: {
      /** those that were written */
      values: number[];
    };
  };
  /** The installed packages. */
  'apps.list': {
    params: Record<string, never>;
    result: {
      apps: Array<{
        packageName: string;
        label: string;
        isSystem: boolean;
      }>;
    };
  };
  /** Start a package; the kiosk returns to the front when it ends. */
  'apps.launch': {
    params: {
      packageName: string;
    };
    result: {
      status: 'launched';
    };
  };
  /** Install a package file that is below apps.installDir. */
  'apps.install': {
    params: {
      path: string;
    };
    result: {
      status: 'installed';
      packageName: string;
    };
  };
  /** Remove a package; system packages are refused. */
  'apps.uninstall': {
    params: {
      packageName: string;
    };
    result: {
      status: 'uninstalled';
    };
  };
  /** Simulate the outside world of a part: change an input, or let the serial peer send. */
  'system.simulate': {
    params: {
      part: 'gpio';
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
    } | {
      part: 'climate';
      /** in °C; null: the sensor does not tell */
      temperature: number | null;
      /** relative, in %; null: the sensor does not tell */
      humidity: number | null;
    } | {
      part: 'proximity';
      /** somebody is near */
      near: boolean;
    } | {
      part: 'button';
      /** as in the board profile; else the number of its key */
      name: string;
      state: 'down' | 'up';
    } | {
      part: 'ir';
      code?: {
        /** nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20 */
        protocol: 'nec' | 'necx' | 'samsung32' | 'rc5' | 'rc6' | 'sony12' | 'sony15' | 'sony20';
        address: number;
        command: number;
      };
      /** microseconds of light and darkness in turn, light first; an odd count */
      timings?: number[];
    } | {
      part: 'scan';
      /** the reader, as in the board profile */
      name: string;
      /** what it typed, without its Enter; a longer one is cut */
      text: string;
    } | {
      part: 'serial';
      port: string;
      /** bytes as hex, upper or lower case, blanks, line breaks and , ; : - allowed between bytes, 0x or \x before each */
      hex: string;
    };
    result: {
      status: 'ok';
    };
  };
  /** Open a camera, by its address or its name, for a WebRTC viewer: offer in, answer out; as JSON, or as WHEP has it. */
  'stream.open': {
    params: {
      id: string;
      url: string;
      sdp: string;
      /** of the picture in CSS pixels x device pixel ratio, with height */
      width?: number;
      height?: number;
    };
    result: {
      sdp: string;
      /** ready: the viewer may talk; its offer asked for it */
      talk: 'none' | 'ready';
      /** the profile of an ONVIF camera; null for one without profiles */
      profile: {
        token: string;
        width: number;
        height: number;
      } | null;
    };
  };
  /** Tell how large a stream is shown: an ONVIF camera then sends the profile that fits. */
  'stream.size': {
    params: {
      id: string;
      width: number;
      height: number;
    };
    result: {
      /** the choice for this size; null where the session has no profiles */
      profile: {
        token: string;
        width: number;
        height: number;
      } | null;
    };
  };
  /** End a stream session. */
  'stream.close': {
    params: {
      id: string;
    };
    result: {
      status: 'stopped';
    };
  };
  /** The cameras of streams.cameras, by name and without logins. */
  'stream.cameras.named': {
    params: Record<string, never>;
    result: {
      cameras: Array<{
        name: string;
        host: string;
        talk: 'auto' | 'off' | 'together';
        events: Array<'motion' | 'person' | 'face' | 'vehicle' | 'animal' | 'visitor' | 'other'>;
        /** of the last inspection or session since the start; null before it */
        verdict: {
          code: 'OK' | 'B_FRAMES' | 'NO_VIDEO' | 'NO_MEDIA' | 'NO_KEY_FRAME' | 'UNSUPPORTED_CODEC' | 'CAMERA_UNREACHABLE' | 'CAMERA_UNAUTHORIZED' | 'CAMERA_NOT_FOUND' | 'CAMERA_PROTOCOL' | 'CAMERA_TIMEOUT' | 'CAMERA_TLS';
          /** ISO 8601 */
          at: string;
        } | null;
      }>;
    };
  };
  /** Call an IP address, with or without a port. */
  'sip.placeCallToIp': {
    params: {
      ip: string;
    };
    result: SipStatus;
  };
  /** Call an extension of the configured registrar. */
  'sip.placeCallToExtension': {
    params: {
      extension: string;
    };
    result: SipStatus;
  };
  /** Answer the incoming call. */
  'sip.answer': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** Refuse the incoming call as busy (486). */
  'sip.reject': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** Stop ringing for the incoming call; the caller hears no difference. */
  'sip.ignore': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** End the call or the announcement, whatever its state. */
  'sip.hangup': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** Make an announcement: speak to all panels of the house at once. */
  'sip.pageAll': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** End the announcement to all panels. */
  'sip.hangupPageAll': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** Answer calls of listed peers without a touch, until the next start. */
  'sip.setAutoAnswer': {
    params: {
      enabled: boolean;
    };
    result: SipStatus;
  };
  /** Mute: send silence and no picture; or speak again. */
  'sip.setMicMuted': {
    params: {
      muted: boolean;
    };
    result: SipStatus;
  };
  /** Loudness of calls. */
  'sip.setCallVolume': {
    params: {
      /** 0 to 10 */
      volume: number;
    };
    result: SipStatus;
  };
  /** Press keys within the connected call. */
  'sip.sendDtmf': {
    params: {
      digits: string;
    };
    result: SipStatus;
  };
  /** Open a door of the setting sip.doors; without a name, the door that calls, or the only one. */
  'sip.openDoor': {
    params: {
      name?: string;
    };
    result: SipStatus;
  };
  /** Refuse all incoming calls silently (480); they stand in the history as missed. */
  'sip.setDoNotDisturb': {
    params: {
      enabled: boolean;
    };
    result: SipStatus;
  };
  /** Draw incoming calls in this page, until it is left: the panel shows no sheet of its own for them. */
  'sip.claim': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** What the intercom is doing. */
  'sip.getStatus': {
    params: Record<string, never>;
    result: SipStatus;
  };
  /** The last 100 calls, the newest first. */
  'sip.history': {
    params: Record<string, never>;
    result: Array<{
      callId: string;
      direction: 'incoming' | 'outgoing';
      /** as it was shown */
      name: string;
      /** address or extension of the remote party; empty for an announcement */
      address: string;
      /** ISO 8601 */
      startedAt: string;
      /** time talked; 0 when the call was not answered */
      seconds: number;
      outcome: 'answered' | 'missed' | 'rejected' | 'ignored' | 'answeredElsewhere' | 'cancelled' | 'noAnswer' | 'busy' | 'failed';
      hasVideo: boolean;
      isBroadcast: boolean;
      viaPbx: boolean;
      /** where its sound or picture came from, if from another address than the remote party named */
      mediaFrom?: string;
    }>;
  };
  /** The other panels that are reachable now. */
  'sip.listPanels': {
    params: Record<string, never>;
    result: Array<{
      name: string;
      host: string;
      port: number;
    }>;
  };
  /** A picture of the call for a WebRTC viewer of the page: offer in, answer out. */
  'sip.showVideo': {
    params: {
      /** the remote party's picture, or our own */
      target: 'remote' | 'local';
      sdp: string;
    };
    result: {
      sdp: string;
    };
  };
  /** The page no longer shows a picture. */
  'sip.hideVideo': {
    params: {
      /** the remote party's picture, or our own */
      target?: 'remote' | 'local';
    };
    result: SipStatus;
  };
  /** Show an address, a page of kiosk.pages or a project; the answer comes before the panel goes there. */
  'page.show': {
    params: {
      url?: string;
      /** a name of kiosk.pages */
      page?: string;
      /** the id of an installed project */
      project?: string;
      /** then home again; without it the page stays */
      seconds?: number;
    };
    result: {
      /** the page that is wanted, also while it loads; a query or fragment that a setting gave is "…" to all but the owner */
      url: string;
      title: string;
      /** failed: its server answers with an error, a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached */
      state: 'loading' | 'shown' | 'failed' | 'blank' | 'waiting';
      /** since when it is in this state */
      since: string;
      /** exceptions and missing scripts of its own since its load */
      errors: number;
      home: boolean;
      /** when the panel goes back to its home page; null: it stays */
      until: string | null;
    };
  };
  /** Go back to the home page; at home already, nothing changes. */
  'page.home': {
    params: Record<string, never>;
    result: {
      /** the page that is wanted, also while it loads; a query or fragment that a setting gave is "…" to all but the owner */
      url: string;
      title: string;
      /** failed: its server answers with an error, a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached */
      state: 'loading' | 'shown' | 'failed' | 'blank' | 'waiting';
      /** since when it is in this state */
      since: string;
      /** exceptions and missing scripts of its own since its load */
      errors: number;
      home: boolean;
      /** when the panel goes back to its home page; null: it stays */
      until: string | null;
    };
  };
  /** Show a message above every page; answered when it is on the screen, or waits for another. */
  'message.show': {
    params: {
      /** text, never HTML */
      text: string;
      title?: string;
      /** chosen by the caller; the same id replaces. Those of the panel itself begin with `faceplate.` */
      id?: string;
      /** an alarm comes before all others, and wakes a sleeping panel */
      level?: 'info' | 'warning' | 'alarm';
      style?: 'banner' | 'dialog' | 'full';
      /** 0: until it is dismissed */
      seconds?: number;
      /** http or https; without it where it cannot be fetched */
      image?: string;
      buttons?: Array<{
        /** comes back in the event */
        id: string;
        label: string;
      }>;
      /** name of a sound or an address; of an alarm it repeats until the message ends */
      sound?: string;
      /** title and text are read out */
      speak?: boolean;
    };
    result: {
      id: string;
    };
  };
  /** Remove a message, shown or waiting. */
  'message.remove': {
    params: {
      /** chosen by the caller; the same id replaces. Those of the panel itself begin with `faceplate.` */
      id: string;
    };
    result: {
      status: 'removed';
    };
  };
  /** Play a sound; answered when it begins, or at once while others play before it. */
  'sound.play': {
    params: {
      name?: 'chime' | 'alert' | 'alarm' | 'bell';
      /** http or https, or a file of the active project, also relative to it */
      url?: string;
      /** percent of the panel's volume, which holds for all sounds; default 100 */
      volume?: number;
      /** how often it is played; default 1 */
      repeat?: number;
    };
    result: {
      /** by which its `sound` events name it */
      id: string;
    };
  };
  /** Say a text; answered when it begins, or at once while others play before it. */
  'sound.speak': {
    params: {
      text: string;
      /** such as en, de or es; default: the setting device.language */
      language?: string;
      /** percent of the panel's volume, which holds for all sounds; default 100 */
      volume?: number;
      /** a chime before the text; default false */
      chime?: boolean;
    };
    result: {
      /** by which its `sound` events name it */
      id: string;
    };
  };
  /** End all sounds and speech, also those that wait. */
  'sound.stop': {
    params: Record<string, never>;
    result: {
      status: 'stopped';
    };
  };
  /** The infrared ports. */
  'ir.list': {
    params: Record<string, never>;
    result: {
      ports: Array<{
        port: string;
        label: string;
        sends: boolean;
        receives: boolean;
        /** it can set the carrier when it sends, or measure it when it receives */
        carrier: boolean;
      }>;
    };
  };
  /** Send an infrared code; the answer comes once it has been sent. */
  'ir.send': {
    params: {
      /** as in the board profile; may be left out where one port sends */
      port?: string;
      /** further frames; 0 when left out */
      repeat?: number;
      /** in Hz; left out: of the protocol, else 38000 */
      carrier?: number;
      /** microseconds of light and darkness in turn, light first; an odd count */
      timings?: number[];
      /** Pronto hex, learned form: 0000 … */
      pronto?: string;
      /** what follows `sendir,<module>:<port>,` of Global Caché: id, frequency, repeat, offset, values */
      sendir?: string;
      /** a key of a known protocol */
      code?: {
        /** nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20 */
        protocol: 'nec' | 'necx' | 'samsung32' | 'rc5' | 'rc6' | 'sony12' | 'sony15' | 'sony20';
        address: number;
        command: number;
      };
    };
    result: {
      status: 'ok';
      port: string;
      /** length of what was sent */
      ms: number;
    };
  };
  /** Wait for the next key of a remote control, and answer with its code. */
  'ir.learn': {
    params: {
      /** may be left out where one port receives */
      port?: string;
      seconds?: number;
    };
    result: {
      port: string;
      /** microseconds of light and darkness in turn, light first; an odd count */
      timings: number[];
      /** in Hz; null where the receiver cannot measure it */
      carrier: number | null;
      pronto: string;
      code: {
        /** nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20 */
        protocol: 'nec' | 'necx' | 'samsung32' | 'rc5' | 'rc6' | 'sony12' | 'sony15' | 'sony20';
        address: number;
        command: number;
        /** the repeat frame of NEC: the key is still held */
        repeat?: true;
      } | null;
    };
  };
  /** The joins of the page that is shown, with their last values in either direction. */
  'joins.list': {
    params: Record<string, never>;
    result: {
      joins: Array<{
        kind: 'boolean';
        /** as the library of the page sends and hears it, such as 21 or fb21 */
        name: string;
        value: boolean;
      } | {
        kind: 'integer';
        /** as the library of the page sends and hears it, such as 21 or fb21 */
        name: string;
        value: number;
      } | {
        kind: 'string';
        /** as the library of the page sends and hears it, such as 21 or fb21 */
        name: string;
        value: string;
      }>;
    };
  };
  /** Give the page a value of a join. */
  'joins.set': {
    params: {
      kind: 'boolean';
      /** as the library of the page sends and hears it, such as 21 or fb21 */
      name: string;
      value: boolean;
    } | {
      kind: 'integer';
      /** as the library of the page sends and hears it, such as 21 or fb21 */
      name: string;
      value: number;
    } | {
      kind: 'string';
      /** as the library of the page sends and hears it, such as 21 or fb21 */
      name: string;
      value: string;
    };
    result: {
      status: 'ok';
    };
  };
  /** Look for ONVIF cameras on the networks that the panel is on. */
  'stream.search': {
    params: {
      seconds?: number;
    };
    result: {
      cameras: Array<{
        name: string | null;
        maker: string | null;
        host: string;
        port: number;
        /** onvif://host:port/ */
        url: string;
        /** null where it did not say in time */
        needsLogin: boolean | null;
      }>;
    };
  };
  /** What an ONVIF camera says of itself: its video profiles, and what else it can do. */
  'stream.profiles': {
    params: {
      url: string;
    };
    result: {
      /** by how much its clock is ahead; negative where it is behind */
      clockOffSeconds: number;
      profiles: Array<{
        token: string;
        name: string;
        codec: 'H264' | 'H265' | 'JPEG' | 'MPEG4';
        width: number;
        height: number;
        /** null where it does not say */
        fps: number | null;
        /** its stream, without a login; null where it names none */
        url: string | null;
        /** small: fewest pixels; large: what a viewer without a size gets */
        chosen: 'small' | 'large' | null;
      }>;
      snapshot: boolean;
      /** whether it says that it has a loudspeaker */
      talk: boolean;
      ptz: boolean;
      events: boolean;
      presets: Array<{
        token: string;
        name: string;
      }>;
    };
  };
  /** Move an ONVIF camera: for some seconds, to a preset, or stop it. */
  'stream.ptz': {
    params: {
      url: string;
      /** -1 to 1: left to right */
      pan?: number;
      /** -1 to 1: down to up */
      tilt?: number;
      /** -1 to 1: out to in */
      zoom?: number;
      /** 0.5 without it; it stops after them */
      seconds?: number;
      /** its token or name */
      preset?: string;
      stop?: true;
    };
    result: Record<string, never>;
  };
  /** A picture of a camera as a JPEG. */
  'stream.snapshot': {
    params: {
      url: string;
      /** most pixels across: a wider picture is made smaller, none larger */
      width?: number;
    };
    result: { type: string; base64: string; takenAt: string };
  };
}

/** Params that may be left out, because the command needs none. */
type CallParams<P> = Record<string, never> extends P ? [params?: P] : [params: P];

/** Payloads of `container.on`. `snapshot` comes once, to each new listener of it. */
interface ContainerEvents {
  snapshot: {
    led?: {
      on: boolean;
      red: number;
      green: number;
      blue: number;
    };
    gpio: Array<{
      /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
      pin: number;
      /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
      level: 0 | 1;
    }>;
    climate?: {
      /** in °C; null: the sensor does not tell */
      temperature: number | null;
      /** relative, in %; null: the sensor does not tell */
      humidity: number | null;
    };
    rtc?: {
      enabled: boolean;
      /** HH:MM, local time */
      onTime: string;
      /** HH:MM, local time */
      offTime: string;
      /** days of onTime; empty = every day */
      onDays: number[];
      /** read-only */
      nextOn: string | null;
      /** read-only */
      nextOff: string | null;
    };
    power: {
      state: 'awake' | 'asleep' | 'rebooting';
    };
    serial: Array<{
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      state: 'open' | 'closed' | 'lost';
    }>;
    apps?: Array<{
      packageName: string;
      label: string;
      isSystem: boolean;
    }>;
    streams: Array<{
      id: string;
      /** host and last element of the path; logins are masked */
      url: string;
      state: 'connecting' | 'playing' | 'stalled';
      /** H264, or empty while connecting */
      codec: string;
      /** null: the camera sends none that WebRTC carries */
      audioCodec: string | null;
      width: number | null;
      height: number | null;
      /** bit/s over the last seconds */
      bitrate: number;
      packets: number;
      lost: number;
      /** ISO 8601 */
      startedAt: string;
      /** milliseconds from POST to the first video packet sent to the viewer */
      firstFrameMs: number | null;
      /** sessions that watch the same URL */
      viewers: number;
      /** why the viewer has had no picture for 5 s; null while it gets one */
      problem: {
        code: 'B_FRAMES' | 'NO_VIDEO' | 'NO_MEDIA' | 'NO_KEY_FRAME' | 'UNSUPPORTED_CODEC' | 'CAMERA_UNREACHABLE' | 'CAMERA_UNAUTHORIZED' | 'CAMERA_NOT_FOUND' | 'CAMERA_PROTOCOL' | 'CAMERA_TIMEOUT' | 'CAMERA_TLS';
        /** one sentence */
        error: string;
      } | null;
      /** its name in streams.cameras; null for an address */
      camera: string | null;
      /** none: the viewer only listens, or the camera hears nothing */
      talk: 'none' | 'ready' | 'talking' | 'busy' | 'failed';
      /** the profile of an ONVIF camera; null for one without profiles */
      profile: {
        token: string;
        width: number;
        height: number;
      } | null;
    }>;
    display?: {
      /** whether the light is on; the page runs on without it */
      on: boolean;
      /** percent as it was set, also while dimmed; 0 can still be read; null: the board has none */
      brightness: number | null;
      /** percent; null: the board has none */
      volume: number | null;
      muted: boolean;
      /** off: the light is off, whoever switched it */
      idle: 'active' | 'dimmed' | 'saver' | 'off';
      /** the page's layout zoom; 1 = as it is made */
      zoom: number;
      /** degrees, clockwise */
      rotation: 0 | 90 | 180 | 270;
    };
    /** without a kiosk page it is left out */
    page?: {
      /** the page that is wanted, also while it loads; a query or fragment that a setting gave is "…" to all but the owner */
      url: string;
      title: string;
      /** failed: its server answers with an error, a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached */
      state: 'loading' | 'shown' | 'failed' | 'blank' | 'waiting';
      /** since when it is in this state */
      since: string;
      /** exceptions and missing scripts of its own since its load */
      errors: number;
      home: boolean;
      /** when the panel goes back to its home page; null: it stays */
      until: string | null;
    };
    /** URL of the simulated board's camera; null on a real panel */
    camera: string | null;
  };
  led: {
    on: boolean;
    red: number;
    green: number;
    blue: number;
  };
  gpio: {
    /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
    pin: number;
    /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
    level: 0 | 1;
  };
  climate: {
    /** in °C; null: the sensor does not tell */
    temperature: number | null;
    /** relative, in %; null: the sensor does not tell */
    humidity: number | null;
  };
  rtc: {
    enabled: boolean;
    /** HH:MM, local time */
    onTime: string;
    /** HH:MM, local time */
    offTime: string;
    /** days of onTime; empty = every day */
    onDays: number[];
    /** read-only */
    nextOn: string | null;
    /** read-only */
    nextOff: string | null;
  };
  power: {
    state: 'awake' | 'asleep' | 'rebooting';
  };
  serial: {
    /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
    port: string;
    state: 'open' | 'closed' | 'lost';
  };
  button: {
    /** as in the board profile; else the number of its key */
    name: string;
    state: 'down' | 'up';
  };
  scan: {
    /** the reader, as in the board profile */
    name: string;
    /** what it typed, without its Enter; a longer one is cut */
    text: string;
  };
  apps: Array<{
    packageName: string;
    label: string;
    isSystem: boolean;
  }>;
  camera: {
    /** its name */
    camera: string;
    kind: 'motion' | 'person' | 'face' | 'vehicle' | 'animal' | 'visitor' | 'other';
    /** as the camera writes it */
    topic: string;
    on: boolean;
  };
  stream: {
    id: string;
    /** host and last element of the path; logins are masked */
    url: string;
    state: 'connecting' | 'playing' | 'stalled';
    /** H264, or empty while connecting */
    codec: string;
    /** null: the camera sends none that WebRTC carries */
    audioCodec: string | null;
    width: number | null;
    height: number | null;
    /** bit/s over the last seconds */
    bitrate: number;
    packets: number;
    lost: number;
    /** ISO 8601 */
    startedAt: string;
    /** milliseconds from POST to the first video packet sent to the viewer */
    firstFrameMs: number | null;
    /** sessions that watch the same URL */
    viewers: number;
    /** why the viewer has had no picture for 5 s; null while it gets one */
    problem: {
      code: 'B_FRAMES' | 'NO_VIDEO' | 'NO_MEDIA' | 'NO_KEY_FRAME' | 'UNSUPPORTED_CODEC' | 'CAMERA_UNREACHABLE' | 'CAMERA_UNAUTHORIZED' | 'CAMERA_NOT_FOUND' | 'CAMERA_PROTOCOL' | 'CAMERA_TIMEOUT' | 'CAMERA_TLS';
      /** one sentence */
      error: string;
    } | null;
    /** its name in streams.cameras; null for an address */
    camera: string | null;
    /** none: the viewer only listens, or the camera hears nothing */
    talk: 'none' | 'ready' | 'talking' | 'busy' | 'failed';
    /** the profile of an ONVIF camera; null for one without profiles */
    profile: {
      token: string;
      width: number;
      height: number;
    } | null;
  };
  talk: {
    session: string;
    /** its name; null for a camera without one */
    camera: string | null;
    state: 'ready' | 'talking' | 'busy' | 'failed';
    /** one sentence, with busy and failed */
    reason: string | null;
  };
  sip: {
    event: 'incomingCall';
    payload: {
      callId: string;
      callerName: string;
      isBroadcast: boolean;
      hasVideo: boolean;
    };
  } | {
    event: 'callConnected';
    payload: {
      callId: string;
      direction: 'incoming' | 'outgoing';
      hasVideo: boolean;
      viaPbx: boolean;
      /** the remote party is not another Faceplate */
      legacy: boolean;
    };
  } | {
    event: 'callEnded';
    payload: {
      callId: string;
      reason: 'local' | 'remote' | 'remote_bye' | 'rejected' | 'timeout';
    };
  } | {
    event: 'callFailed';
    payload: {
      reason: 'busy' | 'timeout' | 'unreachable' | 'refused' | 'media';
      busy: boolean;
    };
  } | {
    event: 'dtmfReceived';
    payload: {
      /** a key that the remote party pressed within the connected call: 0-9, *, #, A-D */
      digit: string;
    };
  } | {
    event: 'registrationChanged';
    payload: {
      registered: boolean;
      lastError: string | null;
    };
  } | {
    event: 'panelFound';
    payload: {
      name: string;
      host: string;
      port: number;
    };
  } | {
    event: 'panelLost';
    payload: {
      name: string;
    };
  } | {
    event: 'pagingStatusChanged';
    payload: {
      activeCount: number;
    };
  };
  page: {
    /** the page that is wanted, also while it loads; a query or fragment that a setting gave is "…" to all but the owner */
    url: string;
    title: string;
    /** failed: its server answers with an error, a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached */
    state: 'loading' | 'shown' | 'failed' | 'blank' | 'waiting';
    /** since when it is in this state */
    since: string;
    /** exceptions and missing scripts of its own since its load */
    errors: number;
    home: boolean;
    /** when the panel goes back to its home page; null: it stays */
    until: string | null;
  };
  message: {
    id: string;
    action: 'shown' | 'pressed' | 'dismissed' | 'expired' | 'replaced';
    /** with `pressed`: its id */
    button?: string;
  };
  display: {
    /** whether the light is on; the page runs on without it */
    on: boolean;
    /** percent as it was set, also while dimmed; 0 can still be read; null: the board has none */
    brightness: number | null;
    /** percent; null: the board has none */
    volume: number | null;
    muted: boolean;
    /** off: the light is off, whoever switched it */
    idle: 'active' | 'dimmed' | 'saver' | 'off';
    /** the page's layout zoom; 1 = as it is made */
    zoom: number;
    /** degrees, clockwise */
    rotation: 0 | 90 | 180 | 270;
  };
  health: {
    /** of the machine, in seconds */
    uptime: number;
    /** in seconds */
    serviceUptime: number;
    /** of 1, 5 and 15 minutes */
    load: [number, number, number];
    /** of the hottest sensor, in °C; null: there is none */
    temperature: number | null;
    /** bytes */
    memory: {
      total: number;
      /** what programs can still get */
      free: number;
      service: number;
      /** with all its helpers; 0 while there is none */
      browser: number;
    };
    /** bytes, of the disk that has the data folder */
    disk: {
      total: number;
      free: number;
      /** why nothing can be written there, as a sentence; null: it can */
      problem: string | null;
    };
    network: Array<{
      name: string;
      addresses: string[];
      mac: string | null;
      up: boolean;
      /** null: no Wi-Fi, or not connected */
      wifi: {
        /** null: not known */
        ssid: string | null;
        /** percent; null: not known */
        signal: number | null;
      } | null;
    }>;
    /** settings that are not followed because the panel could not start or show a picture with them, until somebody changes them */
    undone: Array<{
      /** its key; settings.json for the whole file, display.zoom and display.rotation */
      setting: string;
      reason: string;
      /** ISO 8601 in UTC */
      at: string;
    }>;
    /** null: this panel shows no page */
    page: {
      /** the page that is wanted, also while it loads; a query or fragment that a setting gave is "…" to all but the owner */
      url: string;
      title: string;
      /** failed: its server answers with an error, a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached */
      state: 'loading' | 'shown' | 'failed' | 'blank' | 'waiting';
      /** since when it is in this state */
      since: string;
      /** exceptions and missing scripts of its own since its load */
      errors: number;
      home: boolean;
      /** when the panel goes back to its home page; null: it stays */
      until: string | null;
    } | null;
  };
  sound: {
    id: string;
    action: 'started' | 'ended' | 'failed';
  };
  project: {
    name: string;
    state: 'fetching' | 'unpacking' | 'installed' | 'failed';
    /** bytes */
    received: number;
    /** bytes; null: not known */
    total: number | null;
  };
  rollout: {
    id: string;
    state: 'running' | 'done' | 'stopped';
    panel: {
      id: string;
      state: 'waiting' | 'sent' | 'proving' | 'healthy' | 'failed' | 'offline';
      reason: string | null;
    } | null;
  };
  update: {
    installed: string;
    /** null: this panel has no slots */
    slot: 'A' | 'B' | null;
    /** the newest of update.channel that is newer than this one */
    available: {
      version: string;
      notes: string | null;
      /** bytes */
      size: number | null;
    } | null;
    state: 'idle' | 'fetching' | 'installing' | 'restarting' | 'proving';
    /** percent, while installing, and while fetching where the size is known */
    progress: number | null;
    /** the last try that ended or was taken back */
    last: {
      version: string;
      result: 'good' | 'returned';
      /** a sentence; null when it is good */
      reason: string | null;
      at: string;
    } | null;
  };
  udp: {
    port: number;
    /** of the sender */
    host: string;
    /** upper case, without blanks */
    hex: string;
  };
  tcp: {
    id: string;
    /** failed: the connection never came about */
    state: 'open' | 'closed' | 'failed';
    /** what the peer sent, upper case, without blanks; only with open */
    hex?: string;
    /** why it failed, or was cut off */
    error?: string;
  };
  ir: {
    /** the receiver */
    port: string;
    /** microseconds of light and darkness in turn, light first; an odd count */
    timings: number[];
    /** null: of no protocol that the panel knows */
    code: {
      /** nec, necx, samsung32, rc5, rc6 (mode 0), sony12, sony15 or sony20 */
      protocol: 'nec' | 'necx' | 'samsung32' | 'rc5' | 'rc6' | 'sony12' | 'sony15' | 'sony20';
      address: number;
      command: number;
      /** the repeat frame of NEC: the key is still held */
      repeat?: true;
    } | null;
  };
  join: {
    kind: 'boolean';
    /** as the library of the page sends and hears it, such as 21 or fb21 */
    name: string;
    value: boolean;
  } | {
    kind: 'integer';
    /** as the library of the page sends and hears it, such as 21 or fb21 */
    name: string;
    value: number;
  } | {
    kind: 'string';
    /** as the library of the page sends and hears it, such as 21 or fb21 */
    name: string;
    value: string;
  };
}

type LedState = ContainerEvents['led'];
type PinState = ContainerEvents['gpio'];
type SerialPortState = ContainerEvents['serial'];
type StreamSession = ContainerEvents['stream'];

interface GpioBridge {
  /**
   * Sends one action as JSON, such as `{"action":"write","pin":2,"level":1}`. The promise resolves with the answer; the
   * same answer, as a JSON string, reaches `onmessage` and the message listeners.
   */
  postMessage(json: string): Promise<GpioResults[keyof GpioResults]>;
  onmessage: ((event: { data: string }) => void) | null;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
  removeEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}

/** Why a camera shows no picture, as `GET /api/stream/inspect` says it. */
export type StreamProblemCode = 'B_FRAMES' | 'NO_VIDEO' | 'NO_MEDIA' | 'NO_KEY_FRAME' | 'UNSUPPORTED_CODEC' | 'CAMERA_UNREACHABLE' | 'CAMERA_UNAUTHORIZED' | 'CAMERA_NOT_FOUND' | 'CAMERA_PROTOCOL' | 'CAMERA_TIMEOUT' | 'CAMERA_TLS';

/** Where a camera is shown: over the element with this id, or in fractions (0..1) of the screen. */
export type StreamPlace = { divId: string } | { rect: { x: number; y: number; w: number; h: number } };

/** Messages of `streamBridge.postMessage`. A stream begins muted. */
export type StreamAction =
  | ({ action: 'open'; id: string; url: string; /** Whether the page wants to talk to the camera. */ talk?: boolean } & StreamPlace)
  | ({ action: 'resize'; id: string } & StreamPlace)
  | { action: 'close' | 'mute' | 'unmute'; id: string }
  | { action: 'volume'; id: string; volume: number }
  /** The microphone, from the press to the release of a button. */
  | { action: 'talk'; id: string; on: boolean }
  | { action: 'closeAll' };

export interface StreamResult {
  status: 'ok';
  action: StreamAction['action'];
  id?: string;
  /** Of closeAll: how many. */
  closed?: number;
}

/**
 * Reaches `onmessage` and the message listeners, as a JSON string, when the state of a stream changes. `error` and `code`
 * say why there is no picture: always with `failed`, with the other states while none has come for 5 s.
 */
export interface StreamStateMessage {
  action: 'state';
  id: string;
  state: 'connecting' | 'playing' | 'stalled' | 'failed' | 'closed';
  error?: string;
  code?: ContainerErrorCode | StreamProblemCode;
  /** Of a stream that was opened with `talk`: whether the camera takes voice, and who talks. */
  talk?: 'none' | 'ready' | 'talking' | 'busy' | 'failed';
  /** Why it is busy or has failed, one sentence. */
  talkReason?: string;
}

export interface StreamBridge {
  /** Sends one action as JSON, such as `{"action":"open","id":"door","url":"rtsp://…","divId":"door-box"}`. */
  postMessage(json: string): Promise<StreamResult>;
  onmessage: ((event: { data: string }) => void) | null;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
  removeEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}

interface SipStatus {
  callStatus: 'idle' | 'ringing' | 'calling...' | 'incoming...' | 'connected (incoming)' | 'connected (outgoing)' | 'connected (outgoing via PBX)' | 'connected (outgoing, legacy audio)' | 'connected (outgoing via PBX, legacy audio)' | 'paging...' | 'failed' | `paging (${number} active)`;
  /** the call that has just failed met 486, 600 or 603 */
  calleeBusy: boolean;
  /** there is a picture of the remote party to show */
  callHasVideo: boolean;
  activeCallId: string | null;
  /** of the incoming call, also after it is answered; otherwise empty */
  incomingCallerName: string;
  /** the incoming call is an announcement */
  incomingIsBroadcast: boolean;
  registered: boolean;
  /** panels that hear our announcement */
  pagingActiveCount: number;
  deviceName: string;
  micMuted: boolean;
  /** 0 to 10 */
  callVolume: number;
  callMaxVolume: number;
  /** why the last action failed; null once an action succeeds */
  lastError: string | null;
}

/** Payloads of `sip.on`. */
export type SipEvents = { [E in ContainerEvents['sip'] as E['event']]: E['payload'] };

/** Where a picture of the call is shown; `rect` is in fractions of the screen. */
export type SipVideo = { readonly target: 'remote' | 'local' } & (
  | { readonly divId: string }
  | { readonly rect: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } }
);

/** The intercom. Every method rejects with SIP_DISABLED while the setting sip.enabled is off. */
interface Sip {
  /** Call an IP address, with or without a port. */
  placeCallToIp(ip: string): Promise<SipStatus>;
  /** Call an extension of the configured registrar. */
  placeCallToExtension(extension: string): Promise<SipStatus>;
  /** Answer the incoming call. */
  answer(): Promise<SipStatus>;
  /** Refuse the incoming call as busy (486). */
  reject(): Promise<SipStatus>;
  /** Stop ringing for the incoming call; the caller hears no difference. */
  ignore(): Promise<SipStatus>;
  /** End the call or the announcement, whatever its state. */
  hangup(): Promise<SipStatus>;
  /** Make an announcement: speak to all panels of the house at once. */
  pageAll(): Promise<SipStatus>;
  /** End the announcement to all panels. */
  hangupPageAll(): Promise<SipStatus>;
  /** Answer calls of listed peers without a touch, until the next start. */
  setAutoAnswer(enabled: boolean): Promise<SipStatus>;
  /** Mute: send silence and no picture; or speak again. */
  setMicMuted(muted: boolean): Promise<SipStatus>;
  /** Loudness of calls. */
  setCallVolume(volume: number): Promise<SipStatus>;
  /** Press keys within the connected call. */
  sendDtmf(digits: string): Promise<SipStatus>;
  /** Open a door of the setting sip.doors; without a name, the door that calls, or the only one. */
  openDoor(name?: string): Promise<SipStatus>;
  /** Refuse all incoming calls silently (480); they stand in the history as missed. */
  setDoNotDisturb(enabled: boolean): Promise<SipStatus>;
  /** Draw incoming calls in this page, until it is left: the panel shows no sheet of its own for them. */
  claim(): Promise<SipStatus>;
  /** What the intercom is doing. */
  getStatus(): Promise<SipStatus>;
  /** The last 100 calls, the newest first. */
  history(): Promise<Array<{
    callId: string;
    direction: 'incoming' | 'outgoing';
    /** as it was shown */
    name: string;
    /** address or extension of the remote party; empty for an announcement */
    address: string;
    /** ISO 8601 */
    startedAt: string;
    /** time talked; 0 when the call was not answered */
    seconds: number;
    outcome: 'answered' | 'missed' | 'rejected' | 'ignored' | 'answeredElsewhere' | 'cancelled' | 'noAnswer' | 'busy' | 'failed';
    hasVideo: boolean;
    isBroadcast: boolean;
    viaPbx: boolean;
    /** where its sound or picture came from, if from another address than the remote party named */
    mediaFrom?: string;
  }>>;
  /** The other panels that are reachable now. */
  listPanels(): Promise<Array<{
    name: string;
    host: string;
    port: number;
  }>>;
  /** Listens to an event; adding the same listener again changes nothing. */
  on<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
  off<N extends keyof SipEvents>(event: N, listener: (payload: SipEvents[N]) => void): void;
  /**
   * Plays a picture of the call over an element or a part of the screen, and follows it, until the call ends.
   * Without a call it changes nothing.
   */
  showVideo(video: SipVideo): Promise<SipStatus>;
  resizeVideo(video: SipVideo): Promise<SipStatus>;
  /** Without a target: both pictures. */
  hideVideo(video?: { target?: SipVideo['target'] }): Promise<SipStatus>;
}

interface Container {
  readonly gpioBridge: GpioBridge;
  readonly streamBridge: StreamBridge;
  readonly sip: Sip;
  /** Send one UDP datagram to an address of the local network. */
  sendUdp(host: string, port: number, hex: string): Promise<{
    status: 'ok';
    host: string;
    port: number;
    /** bytes */
    sent: number;
  }>;
  /** Send one UDP datagram to an address of the local network. */
  sendUdpRaw(host: string, port: number, text: string): Promise<{
    status: 'ok';
    host: string;
    port: number;
    /** bytes */
    sent: number;
  }>;
  /** Start a package; the kiosk returns to the front when it ends. */
  launchApp(packageName: string): Promise<{
    status: 'launched';
  }>;
  /** Remove a package; system packages are refused. */
  uninstallApp(packageName: string): Promise<{
    status: 'uninstalled';
  }>;
  /** Runs a command by its name: `await container.call('led.color', { red: 255, green: 0, blue: 0 })`. */
  call<N extends keyof ContainerCommands>(
    command: N,
    ...params: CallParams<ContainerCommands[N]['params']>
  ): Promise<ContainerCommands[N]['result']>;
  /** Listens to an event; adding the same listener again changes nothing. */
  on<N extends keyof ContainerEvents>(event: N, listener: (payload: ContainerEvents[N]) => void): void;
  off<N extends keyof ContainerEvents>(event: N, listener: (payload: ContainerEvents[N]) => void): void;
  /** Whether real panel hardware is present. */
  readonly isOem: boolean;
  readonly version: string;
}

interface MobileBridge {
  /** The installed packages. Resolves with JSON text: `apps` of the answer. */
  oemGetInstalledApps(): Promise<string>;
  /** Start a package; the kiosk returns to the front when it ends. */
  oemLaunchApp(packageName: string): Promise<{
    status: 'launched';
  }>;
  /** Install a package file that is below apps.installDir. */
  oemInstallApk(path: string): Promise<{
    status: 'installed';
    packageName: string;
  }>;
  /** Remove a package; system packages are refused. */
  oemUninstallApp(packageName: string): Promise<{
    status: 'uninstalled';
  }>;
}

declare global {
  interface Window {
    /** Undefined outside a Faceplate kiosk, in frames, and on foreign origins. */
    readonly container: Container | undefined;
    readonly MobileBridge: MobileBridge | undefined;
  }
}
