// The calls of a Faceplate panel, version 0.1.0. Made from docs/openapi.json by build/generate/main.ts; do not edit.

/** Codes of an error of the panel. */
export type ErrorCode = 'INVALID_REQUEST' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_APPROVED' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'PACKAGE_NOT_FOUND' | 'SESSION_NOT_FOUND' | 'PROJECT_NOT_FOUND' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'LOCKED_OUT' | 'PORT_BUSY' | 'TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'UNSUPPORTED_CODEC' | 'RATE_LIMITED' | 'INTERNAL' | 'SIP_DISABLED' | 'UNSUPPORTED_HARDWARE' | 'CAMERA_UNREACHABLE' | 'CAMERA_UNAUTHORIZED' | 'CAMERA_NOT_FOUND' | 'CAMERA_PROTOCOL' | 'UPDATE_FAILED' | 'MEDIA_UNREACHABLE' | 'HARDWARE_ERROR' | 'SESSION_LIMIT' | 'STARTING' | 'SHUTTING_DOWN' | 'CAMERA_TIMEOUT' | 'HARDWARE_TIMEOUT' | 'PAGE_TIMEOUT' | 'STORAGE_FULL';

/** A file to send. */
export type FileBody = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** What each call takes and answers. */
export interface Commands {
  /** Run a shell command on the panel and return what it printed. */
  'terminal.exec': {
    params: {
      command: string;
    };
    result: {
      command: string;
      stdout: string;
      stderr: string;
      exitCode: number;
      duration: string;
      timedOut: boolean;
      /** present when a stream was longer than 1 MiB */
      truncated?: true;
    };
  };
  /** The sleep schedule. */
  'rtc.alarm': {
    params: Record<string, never>;
    result: {
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
  };
  /** Change the sleep schedule: the given fields change, the others stay as they are. */
  'rtc.setAlarm': {
    params: {
      enabled?: boolean;
      /** HH:MM, local time */
      onTime?: string;
      /** HH:MM, local time */
      offTime?: string;
      onDays?: number[];
      /** ignored */
      nextOn?: unknown;
      /** ignored */
      nextOff?: unknown;
    };
    result: {
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
  };
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
  /** The last edges of all pins and relays since the start, at most 250 of each; newest first. */
  'gpio.edges': {
    params: {
      limit?: number;
    };
    result: {
      edges: Array<{
        time: string;
        /** 0 = IO 1, 1 = IO 2, 2 = Relay 1, 3 = Relay 2 on the shipped panels; 0 to the number of pins less one where the board profile has others */
        pin: number;
        /** 1 = HIGH or CLOSED, 0 = LOW or OPEN */
        level: 0 | 1;
        /** changes that it stands for: more than 1 where some came too fast to be heard */
        count: number;
        /** the panel has written it; false: it came from outside */
        written: boolean;
      }>;
      /** when the service began to listen */
      since: string;
      /** when it was asked, by the panel's clock */
      until: string;
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
  /** What this panel is and what it has. */
  'system.info': {
    params: Record<string, never>;
    result: {
      /** the setting device.name */
      name: string;
      /** made once; no two panels have the same */
      id: string;
      /** `<ip>:<port>`; of loopback only where the panel listens nowhere else */
      address: string;
      version: string;
      board: string;
      /** how often the kiosk page was brought back, by cause */
      recoveries: Record<string, number>;
      parts: Record<string, {
        driver: string;
        path: string | null;
        state: 'real' | 'simulated' | 'absent';
        /** why the part is absent */
        reason: string | null;
      }>;
      host: 'electron' | 'chromium' | 'none';
      /** what the browser really uses; null: no browser runs, or it has not said so yet */
      graphics: {
        /** the graphics processor with its driver, as the browser names it */
        gpu: string;
        /** what draws pages */
        pages: 'hardware' | 'software' | 'off';
        webgl: 'hardware' | 'software' | 'off';
        /** what decodes videos */
        video: 'hardware' | 'software' | 'off';
      } | null;
      /** null: HTTPS is off */
      https: {
        port: number;
        /** SHA-256 of the certificate, upper hex with colons */
        fingerprint: string;
      } | null;
      mqtt: {
        state: 'off' | 'connecting' | 'connected';
        /** what is wrong, in words; null: nothing */
        reason: string | null;
        /** the name of this panel on the broker */
        id: string;
        groups: string[];
        /** how many entities Home Assistant was told of; null: it is told of none */
        entities: number | null;
      };
    };
  };
  /** Restart the panel; the answer comes before it goes down. */
  'system.reboot': {
    params: Record<string, never>;
    result: {
      status: 'rebooting';
    };
  };
  /** Restart the service alone, where somebody starts it again; the answer comes first. */
  'system.restart': {
    params: Record<string, never>;
    result: {
      status: 'restarting';
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
    } & ({
      url: string;
      sdp: string;
      /** of the picture in CSS pixels x device pixel ratio, with height */
      width?: number;
      height?: number;
    });
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
  /** End a stream session. */
  'stream.close': {
    params: {
      id: string;
    };
    result: {
      status: 'stopped';
    };
  };
  /** Tell how large a stream is shown: an ONVIF camera then sends the profile that fits. */
  'stream.size': {
    params: {
      id: string;
    } & ({
      width: number;
      height: number;
    });
    result: {
      /** the choice for this size; null where the session has no profiles */
      profile: {
        token: string;
        width: number;
        height: number;
      } | null;
    };
  };
  /** What a camera offers and sends, with a verdict and what to change in the camera. */
  'stream.inspect': {
    params: {
      url: string;
    };
    result: {
      /** whether it plays well in a browser */
      ok: boolean;
      code: 'OK' | 'B_FRAMES' | 'NO_VIDEO' | 'NO_MEDIA' | 'NO_KEY_FRAME' | 'UNSUPPORTED_CODEC' | 'CAMERA_UNREACHABLE' | 'CAMERA_UNAUTHORIZED' | 'CAMERA_NOT_FOUND' | 'CAMERA_PROTOCOL' | 'CAMERA_TIMEOUT' | 'CAMERA_TLS';
      /** one sentence */
      verdict: string;
      /** what to change; empty when nothing needs a change */
      hint: string;
      /** what the panel puts right, one sentence each */
      mended: string[];
      video: {
        codec: string;
        /** such as Main or High */
        profile: string | null;
        width: number | null;
        height: number | null;
        /** by the timestamps of the pictures */
        fps: number | null;
        bFrames: boolean;
        /** packetization mode of H.264 */
        packetization: number | null;
        /** received key frames */
        keyFrames: number;
        packets: number;
        lost: number;
        /** bit/s */
        bitrate: number;
        transport: 'tcp' | 'udp' | null;
      } | null;
      audio: {
        codec: string;
        clockRate: number;
        channels: number;
        /** whether browsers can play it unchanged */
        forwarded: boolean;
      } | null;
      /** null: it has no loudspeaker for others (ONVIF back channel) */
      talk: {
        /** of the sound that it takes, as it names them */
        codecs: string[];
        /** whether browsers have one of them */
        playable: boolean;
        /** what to change; null when nothing needs a change */
        hint: string | null;
      } | null;
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
  /** The stream sessions. */
  'stream.sessions': {
    params: Record<string, never>;
    result: {
      sessions: Array<{
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
      max: number;
    };
  };
  /** What the intercom is doing, the other panels, the doors, and the last 100 calls. */
  'intercom.state': {
    params: Record<string, never>;
    result: {
      status: {
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
      };
      /** reachable now */
      panels: Array<{
        name: string;
        host: string;
        port: number;
      }>;
      /** of the setting sip.doors */
      doors: Array<{
        name: string;
      }>;
      /** the newest first */
      history: Array<{
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
      doNotDisturb: boolean;
    };
  };
  /** Call an IP address, or an extension of the configured registrar. */
  'intercom.call': {
    params: {
      peer: string | string;
    };
    result: {
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
    };
  };
  /** Answer the incoming call at the panel. */
  'intercom.answer': {
    params: Record<string, never>;
    result: {
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
    };
  };
  /** End or refuse the call, or end the announcement. */
  'intercom.hangup': {
    params: Record<string, never>;
    result: {
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
    };
  };
  /** Open a door of the setting sip.doors; without a name, the door that calls, or the only one. */
  'intercom.door': {
    params: {
      name?: string;
    };
    result: {
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
    };
  };
  /** Do not disturb: refuse all incoming calls silently; they stand in the history as missed. */
  'intercom.dnd': {
    params: {
      on: boolean;
    };
    result: {
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
    };
  };
  /** The installed projects. The demo, shown when none is active, is not one of them. */
  'projects.list': {
    params: Record<string, never>;
    result: {
      projects: Array<{
        id: string;
        name: string;
        version: string;
        installedAt: string;
        /** bytes of the unpacked files */
        size: number;
        active: boolean;
        /** when the version before was installed; null: there is none to go back to */
        previousAt: string | null;
      }>;
    };
  };
  /** Install a .zip or .ch5z archive; the same name again replaces the project and keeps its previous version. */
  'projects.install': {
    params: {
      /** name of the project; its id is made from it */
      name: string;
      body: FileBody;
    };
    result: {
      id: string;
      name: string;
      active: boolean;
    };
  };
  /** Change a project: an archive of the files that are new or changed, the names of those that went, and the digest of the whole. */
  'projects.patch': {
    params: {
      id: string;
      /** paths of the files that went, the field once for each */
      removed?: string[];
      /** of the list of all its files as it has to be then: "<sha256>  <path>" and a line feed each, sorted by the bytes of the paths */
      sha256: string;
      body: FileBody;
    };
    result: {
      id: string;
      version: string;
      active: boolean;
    };
  };
  /** Remove a project; if it was the active one, the demo is shown. */
  'projects.remove': {
    params: {
      id: string;
    };
    result: {
      status: 'removed';
    };
  };
  /** Fetch an archive from an address, check its digest, and install it as an upload. */
  'projects.fetch': {
    params: {
      url: string;
      sha256: string;
      /** name of the project; its id is made from it */
      name: string;
      activate?: boolean;
    };
    result: {
      id: string;
      name: string;
      active: boolean;
    };
  };
  /** Make a project the one that the panel shows. */
  'projects.activate': {
    params: {
      id: string;
    };
    result: {
      id: string;
      active: true;
    };
  };
  /** Go back to the previous version; the newer one is removed. */
  'projects.rollback': {
    params: {
      id: string;
    };
    result: {
      id: string;
      version: string;
    };
  };
  /** Load the kiosk page again. */
  'kiosk.reload': {
    params: Record<string, never>;
    result: {
      status: 'reloading';
    };
  };
  /** What the panel shows now. */
  'kiosk.screenshot': {
    params: Record<string, never>;
    result: Uint8Array<ArrayBuffer>;
  };
  /** The panels heard on the broker and by mDNS, this one too. */
  'fleet.list': {
    params: Record<string, never>;
    result: {
      panels: Array<{
        /** mqtt.id; of a panel heard by mDNS alone the id of its announcement */
        id: string;
        name: string | null;
        version: string | null;
        board: string | null;
        /** `<ip>:<port>`, as that panel says */
        address: string | null;
        /** its port of HTTPS, as that panel says; null: off, or not known */
        https: number | null;
        groups: string[] | null;
        online: boolean;
        /** last change of `online` */
        since: string;
        /** as GET /api/remote/page of that panel */
        page: unknown;
        /** the active one */
        project: {
          id: string;
          name: string;
          version: string;
        } | null;
        /** as GET /api/manage/update of that panel */
        update: unknown;
      }>;
    };
  };
  /** Carry out a command on many panels: the canaries first, then the rest in waves; a failure stops it. */
  'fleet.rollout': {
    params: {
      groups?: string[];
      ids?: string[];
      command: 'projects.fetch' | 'update.fetch' | 'settings.change';
      params?: Record<string, unknown>;
      /** how many panels go first */
      canary?: number;
      /** how many panels at a time after them */
      parallel?: number;
      /** seconds that a page must be shown */
      healthyFor?: number;
    };
    result: {
      id: string;
    };
  };
  /** The roll-outs of this panel, the newest first; the last 20 are kept. */
  'fleet.rollouts': {
    params: Record<string, never>;
    result: {
      rollouts: Array<{
        id: string;
        state: 'running' | 'done' | 'stopped';
        reason: string | null;
        command: 'projects.fetch' | 'update.fetch' | 'settings.change';
        startedAt: string;
        endedAt: string | null;
        /** how many panels are in each state */
        counts: {
          waiting: number;
          sent: number;
          proving: number;
          healthy: number;
          failed: number;
          offline: number;
        };
      }>;
    };
  };
  /** How far a roll-out is, or how it went; the last 20 are kept. */
  'fleet.progress': {
    params: {
      id: string;
    };
    result: {
      id: string;
      state: 'running' | 'done' | 'stopped';
      reason: string | null;
      command: 'projects.fetch' | 'update.fetch' | 'settings.change';
      startedAt: string;
      endedAt: string | null;
      panels: Array<{
        id: string;
        state: 'waiting' | 'sent' | 'proving' | 'healthy' | 'failed' | 'offline';
        reason: string | null;
      }>;
    };
  };
  /** Stop a roll-out: no further panel begins; those under way end their proof. */
  'fleet.stop': {
    params: {
      id: string;
    };
    result: {
      id: string;
      state: 'running' | 'done' | 'stopped';
      reason: string | null;
      command: 'projects.fetch' | 'update.fetch' | 'settings.change';
      startedAt: string;
      endedAt: string | null;
      panels: Array<{
        id: string;
        state: 'waiting' | 'sent' | 'proving' | 'healthy' | 'failed' | 'offline';
        reason: string | null;
      }>;
    };
  };
  /** Which version is installed, which one could be, and how far an update is. */
  'update.state': {
    params: Record<string, never>;
    result: {
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
  };
  /** Install a signed bundle, and restart into it. A version that does not prove itself is taken back. */
  'update.install': {
    params: {
      /** also where it is older than what is installed, back to the oldest version that this panel takes */
      older?: boolean;
      /** in 10 seconds; false: at the next restart */
      restart?: boolean;
      body: FileBody;
    };
    result: {
      version: string;
    };
  };
  /** Fetch a signed bundle from an address, or the one that is available, and install it as an upload. */
  'update.fetch': {
    params: {
      url?: string;
      sha256?: string;
      /** also where it is older than what is installed, back to the oldest version that this panel takes */
      older?: boolean;
      /** in 10 seconds; false: at the next restart */
      restart?: boolean;
    };
    result: {
      version: string;
    };
  };
  /** Go back to the version before; take back one that waits for the restart. */
  'update.return': {
    params: Record<string, never>;
    result: {
      version: string;
    };
  };
  /** All settings with value, default, source and description. */
  'settings.read': {
    params: Record<string, never>;
    result: {
      /** by key, such as http.port */
      settings: Record<string, {
        /** how it is written */
        kind: 'text' | 'integer' | 'switch' | 'list' | 'json';
        set: boolean;
        source: 'default' | 'file' | 'environment' | 'flag';
        description: string;
        /** the caller may not change it: that takes the owner's token, or a person at the panel */
        locked?: true;
      } | {
        /** how it is written */
        kind: 'text' | 'integer' | 'switch' | 'list' | 'json';
        value: unknown;
        default: unknown;
        source: 'default' | 'file' | 'environment' | 'flag';
        description: string;
        unit?: string;
        /** all possible values, when there are few */
        choices?: unknown[];
        /** the caller may not change it: that takes the owner's token, or a person at the panel */
        locked?: true;
      }>;
      /** keys whose new value takes effect at the next start */
      restartNeeded: string[];
      /** secrets that the change cleared: it names another server, and did not send them along */
      cleared?: string[];
    };
  };
  /** Change settings: a part of the tree, such as {"http":{"port":8081}}; null restores the default. */
  'settings.change': {
    params: {
      /** Bearer token of the API; without it, the first start makes one and stores it in <dataDir>/token. */
      token?: string | null;
      /** auto, the name of a shipped board profile, or the path of a profile file. */
      board?: string | null;
      /** Browser of the kiosk page: electron, chromium, none for the API alone, or auto: Electron if npm start finds one that may run, else Chromium. */
      host?: 'auto' | 'electron' | 'chromium' | 'none' | null;
      /** Whether a new panel shows the set-up wizard when it starts. */
      wizard?: boolean | null;
      device?: {
        /** Name of the panel, for people and on the network. */
        name?: string | null;
        /** Language of the panel's own texts and speech. */
        language?: 'en' | 'de' | 'es' | null;
      };
      http?: {
        /** Address that the HTTP server listens on, in addition to loopback. */
        host?: string | string | 'localhost' | null;
        /** Port of the HTTP server; 0 uses any free port. */
        port?: number | null;
        /** Who may connect over plain HTTP; loopback: only this machine, while HTTPS is on. Without HTTPS, everyone may. */
        plain?: 'all' | 'loopback' | null;
        /** Whether the panel announces its address on the network by mDNS, as _faceplate._tcp. */
        announce?: boolean | null;
        /** Interface for this announcement: its name or address. Without it, all that http.host covers except loopback. */
        announceInterface?: '' | string | string | null;
        /** Browser origins that may call the API, in addition to the active project. */
        allowedOrigins?: string[] | null;
        /** More names of this panel, such as panel.lan; *.example.org includes all names below it. */
        allowedHosts?: string[] | null;
      };
      https?: {
        /** Port of the same API over HTTPS; 0 uses any free port. */
        port?: 'off' | number | null;
        /** PEM file of the certificate, with the intermediate certificates; without it, the panel makes its own. */
        certificate?: string | null;
        /** PEM file of the private key of https.certificate. */
        key?: string | null;
      };
      ir?: {
        /** Port at which programs of the local network use the infrared senders as those of an iTach, without a login; 4998 is usual, 0 takes any free one. */
        itachPort?: 'off' | number | null;
      };
      approval?: {
        /** Commands that need approval at the panel when they are called from outside, such as system.reboot, terminal.exec. */
        commands?: Array<'terminal.exec' | 'rtc.alarm' | 'rtc.setAlarm' | 'display.state' | 'display.set' | 'display.activity' | 'led.state' | 'led.on' | 'led.color' | 'gpio.write' | 'gpio.read' | 'gpio.list' | 'gpio.edges' | 'gpio.pulse' | 'climate.state' | 'serial.write' | 'serial.read' | 'serial.break' | 'serial.monitor' | 'serial.close' | 'udp.send' | 'udp.listen' | 'udp.unlisten' | 'tcp.open' | 'tcp.send' | 'tcp.close' | 'modbus.read' | 'modbus.write' | 'apps.list' | 'apps.launch' | 'apps.install' | 'apps.uninstall' | 'system.info' | 'system.reboot' | 'system.restart' | 'system.simulate' | 'stream.open' | 'stream.size' | 'stream.close' | 'stream.inspect' | 'stream.cameras.named' | 'stream.sessions' | 'intercom.state' | 'intercom.call' | 'intercom.answer' | 'intercom.hangup' | 'intercom.door' | 'intercom.dnd' | 'projects.list' | 'projects.install' | 'projects.patch' | 'projects.fetch' | 'projects.activate' | 'projects.rollback' | 'projects.remove' | 'kiosk.reload' | 'kiosk.screenshot' | 'fleet.list' | 'fleet.rollout' | 'fleet.rollouts' | 'fleet.progress' | 'fleet.stop' | 'update.state' | 'update.install' | 'update.fetch' | 'update.return' | 'settings.read' | 'settings.change' | 'setup.find' | 'setup.probe' | 'pin.state' | 'certificates.list' | 'certificates.trust' | 'certificates.forget' | 'token.list' | 'token.create' | 'token.revoke' | 'pairing.start' | 'log.read' | 'page.state' | 'page.above' | 'page.show' | 'page.home' | 'console.read' | 'kiosk.live' | 'page.evaluate' | 'message.show' | 'message.remove' | 'journal.read' | 'health.state' | 'health.history' | 'metrics.read' | 'backup.create' | 'backup.restore' | 'panel.reset' | 'network.state' | 'network.change' | 'network.confirm' | 'network.wifi' | 'network.join' | 'time.state' | 'time.change' | 'sound.play' | 'sound.speak' | 'sound.stop' | 'ir.list' | 'ir.send' | 'ir.learn' | 'joins.list' | 'joins.set' | 'stream.search' | 'stream.profiles' | 'stream.ptz' | 'stream.snapshot' | 'stream.mjpeg'> | null;
      };
      terminal?: {
        /** Whether terminal/exec runs commands. */
        enabled?: boolean | null;
      };
      kiosk?: {
        /** Page to show instead of the active project or the demo. */
        url?: string | null;
        /** Pages that can be shown by name: [{"name":"Weather","url":"https://…","seconds":20}]. Those with seconds rotate automatically. */
        pages?: Array<{
          name: string;
          url: string;
          seconds?: number;
        }> | null;
        /** Styles and scripts for pages of an origin, added before their own: [{"origin":"http://hub.local","css":"header{display:none}"}]. */
        inject?: Array<{
          origin: string;
          css?: string;
          js?: string;
        }> | null;
        /** Text at the end of the user agent, for servers that recognise panels by it. */
        userAgent?: string | null;
        /** Logins for servers that ask for one (HTTP authentication): [{"origin":"https://hub.local","username":"panel","password":"…"}]. */
        logins?: Array<{
          origin: string;
          username: string;
          password: string;
        }> | null;
        /** PEM files of certificate authorities to trust in addition to the system's, such as your own. */
        authorities?: string | string[] | null;
        /** http origins that count as secure, so that their pages may use features such as the microphone. */
        secureOrigins?: string[] | null;
        /** Origins of pages in whose frames other sites may store cookies, such as the login of a camera; auto: those of kiosk.url and kiosk.pages. */
        thirdPartyCookies?: Array<'auto' | string> | null;
        /** Whether pages show scrollbars; they scroll without them too. */
        scrollbars?: boolean | null;
        /** Whether a screen reader can read what is on the screen (AT-SPI); the browser then uses more memory and time. */
        screenReader?: boolean | null;
        /** Switches for the graphics of a board, such as ["--ozone-platform=x11","--enable-features=VaapiVideoDecodeLinuxGL"]; docs/kiosk.md lists all of them. */
        browserArguments?: string[] | null;
        /** Path of a project archive (.zip or .ch5z) to install and show at every start. */
        project?: string | null;
        /** Query string to add to the address of the page, such as room=12&lang=de. */
        parameters?: string | null;
        /** Run the browser without a display; auto: when there is none. */
        headless?: 'auto' | boolean | null;
        /** User of the browser when the service is root; if it does not exist, the user nobody. */
        user?: string | null;
        /** For tests: the browser's fake camera and microphone. */
        fakeMedia?: boolean | null;
        /** Reload the page when it has content but the screen shows one colour for a minute. */
        deadPageCheck?: boolean | null;
        /** PIN of the settings page; it overrides the PIN that was chosen on the panel. */
        pin?: string | null;
        /** Memory limit of the browser. Above it, the browser restarts at a quiet moment; above 150 % of it, at once. 0: no limit; auto: 60 % of the panel's memory. */
        memoryLimit?: 'auto' | number | null;
        /** Hour of the day, local time, in which the browser may restart. */
        quietHour?: number | null;
      };
      projects?: {
        /** Query strings by project id, added before kiosk.parameters: {"lobby-panel":"room=12"}. */
        parameters?: Record<string, string> | null;
      };
      keyboard?: {
        /** On-screen keyboard; auto: at a touch on a field, while no keyboard is plugged in. */
        enabled?: 'auto' | boolean | null;
        /** Layouts of the on-screen keyboard: en, de, es. The first one appears first; the default is that of device.language. */
        layouts?: Array<'en' | 'de' | 'es'> | null;
      };
      bridge?: {
        /** Origins whose top page gets window.container, in addition to the active project. */
        origins?: string[] | null;
        /** More global names for window.container, such as appcontainer. */
        aliases?: string[] | null;
        /** Whether pages may install packages (window.MobileBridge.oemInstallApk). */
        allowInstall?: boolean | null;
      };
      apps?: {
        /** Folder below which package files may be installed; without it, <dataDir>/packages. */
        installDir?: string | null;
      };
      streams?: {
        /** How long a camera connection stays open after its last viewer. */
        lingerSeconds?: number | null;
        /** Cameras by name, for camera:<name>: [{"name":"Door","url":"onvif://192.168.1.20/","login":{"user":"panel","password":"…"}}]; docs/video.md explains the fields. */
        cameras?: Array<{
          name: string;
          url: string;
          login?: {
            user: string;
            password: string;
          } | {
            user: string;
            set: true;
          } | null;
          talk?: 'auto' | 'off' | 'together';
          talkBytes?: number;
          events?: Array<'motion' | 'person' | 'face' | 'vehicle' | 'animal' | 'visitor' | 'other'>;
        }> | null;
        /** Logins for cameras whose address contains none: [{"host":"192.168.1.20","user":"panel","password":"…"}]. */
        logins?: Array<{
          host: string;
          port?: number;
          user: string;
          password: string;
        }> | null;
        /** Cameras to try with UDP first; if nothing arrives within 3 s, TCP is used. */
        udpHosts?: string[] | null;
        /** Cameras that may use TLS 1.0, TLS 1.1 and weak ciphers with rtsps://; others on the network can break these. */
        oldTlsHosts?: string[] | null;
        /** Whether viewers outside the panel may talk to cameras, not only listen. */
        talkFromAfar?: boolean | null;
      };
      idle?: {
        /** Dim the screen after this time without a touch; 0: never. */
        dimAfter?: number | null;
        /** Brightness of the dimmed screen; a lower brightness stays as it is. */
        dimTo?: number | null;
        /** Show the screen saver after this time without a touch; 0: never. */
        saverAfter?: number | null;
        /** The screen saver: clock, black, photos, or the address of a page. */
        saver?: 'clock' | 'black' | 'photos' | string | null;
        /** Pictures of the screen saver photos: a folder of the panel, or a list of addresses. */
        photos?: string | string[] | null;
        /** Switch the screen off after this time without a touch; 0: never. */
        offAfter?: number | null;
        /** Go back to the home page after this time without a touch; 0: never. */
        homeAfter?: number | null;
        /** Whether the panel then deletes cookies and storage of the pages that were shown, except the home page. */
        clearAtHome?: boolean | null;
        /** Pins whose change counts as a touch, such as that of a motion sensor: [0]. */
        wakePins?: number[] | null;
      };
      mqtt?: {
        /** Address of the MQTT broker: mqtt://, mqtts://, ws:// or wss://. Without it, there is no MQTT. */
        url?: string | null;
        /** User at the broker. */
        username?: string | null;
        /** Password at the broker. */
        password?: string | null;
        /** PEM files of certificate authorities to trust for the broker, in addition to the system's. */
        authorities?: string | string[] | null;
        /** PEM file of the panel's own certificate, for a broker that asks for one. */
        certificate?: string | null;
        /** PEM file of the private key of mqtt.certificate. */
        key?: string | null;
        /** First levels of all topics of the panels. */
        prefix?: string | null;
        /** The panel's name in its topics; without it, the panel's id. */
        id?: '' | string | null;
        /** What callers on the broker may do: view, control, manage, terminal, doors. */
        scopes?: Array<'view' | 'control' | 'manage' | 'terminal' | 'doors'> | null;
        /** Groups that the panel belongs to. */
        groups?: string[] | null;
        /** Discovery prefix of Home Assistant; empty: no discovery. */
        discovery?: '' | string | null;
        /** Whether this panel lists the others on the broker and may roll out to them. */
        fleet?: boolean | null;
      };
      sip?: {
        /** Whether the panel works as an intercom. */
        enabled?: boolean | null;
        /** SIP port for UDP and TCP; TLS uses the next one. 0 uses any free port. */
        port?: number | null;
        /** Address that SIP and RTP listen on; without it, all. */
        host?: '' | string | string | null;
        /** Name that other panels and phones see; the default is device.name. */
        deviceName?: string | null;
        /** PBX where the panel registers: host name or address, port optional. */
        registrar?: string | null;
        /** The panel's extension, also without a registrar; the default is panel. */
        username?: '' | string | null;
        /** Password at the registrar; sent nowhere else, and never in clear text. */
        password?: string | null;
        /** Transport to the registrar, or without one to all others: udp, tcp or tls. With tls, the panel also accepts TLS connections. */
        transport?: 'udp' | 'tcp' | 'tls' | null;
        /** Callers whose encrypted sound (RTP/SAVP) is accepted without TLS, although others on the network can read its keys: off, known (sip.allow, sip.doors, the registrar) or any. */
        srtpOverUdp?: 'off' | 'known' | 'any' | null;
        /** Addresses, or networks such as 192.168.1.0/24, that may call; with sip.autoAnswer, the panel answers them automatically. */
        allow?: Array<string | string | string | string> | null;
        /** Whether everyone on the panel's networks may call. */
        allowLan?: boolean | null;
        /** Whether the panel answers calls of sip.allow without a touch, with a tone and without the camera. */
        autoAnswer?: boolean | null;
        /** Find other panels, and be found, by mDNS. */
        discovery?: boolean | null;
        /** Address of the interface for this discovery; without it, all. */
        discoveryInterface?: '' | string | null;
        /** Doors that are opened from the panel, a JSON list of {name, peer, dtmf, gapMs, url, preview}; docs/intercom.md explains the fields. */
        doors?: Array<{
          name: string;
          peer: string;
          dtmf?: string;
          gapMs?: number;
          url?: string;
          preview?: string;
        }> | null;
        /** Whether door stations can register at the panel itself. */
        registrarServer?: boolean | null;
        /** Accounts of these door stations, a JSON list of {username, password}. */
        registrarAccounts?: Array<{
          username: string;
          password: string;
        }> | null;
        /** Intercom shared key of the panels of a house, 16 characters or more: panels with it may call each other and speak to all. */
        panelSecret?: string | null;
      };
      update?: {
        /** Address of the list of versions for this panel (channel.json). Without it, the panel looks for none. */
        channel?: string | null;
        /** Login at the server of update.channel (HTTP authentication): {"username":"panel","password":"…"}. */
        login?: {
          username: string;
          password: string;
        } | Record<string, never> | null;
        /** Local time in which the panel may install a newer version by itself: 02:00-04:00. Without it, a person installs it. */
        window?: string | null;
      };
      log?: {
        /** Least severe level that is logged. */
        level?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | null;
      };
    };
    result: {
      /** by key, such as http.port */
      settings: Record<string, {
        /** how it is written */
        kind: 'text' | 'integer' | 'switch' | 'list' | 'json';
        set: boolean;
        source: 'default' | 'file' | 'environment' | 'flag';
        description: string;
        /** the caller may not change it: that takes the owner's token, or a person at the panel */
        locked?: true;
      } | {
        /** how it is written */
        kind: 'text' | 'integer' | 'switch' | 'list' | 'json';
        value: unknown;
        default: unknown;
        source: 'default' | 'file' | 'environment' | 'flag';
        description: string;
        unit?: string;
        /** all possible values, when there are few */
        choices?: unknown[];
        /** the caller may not change it: that takes the owner's token, or a person at the panel */
        locked?: true;
      }>;
      /** keys whose new value takes effect at the next start */
      restartNeeded: string[];
      /** secrets that the change cleared: it names another server, and did not send them along */
      cleared?: string[];
    };
  };
  /** Home Assistants that answer on the networks of the panel (mDNS). It proves nothing about them. */
  'setup.find': {
    params: Record<string, never>;
    result: {
      pages: Array<{
        kind: 'homeAssistant';
        name: string;
        url: string;
      }>;
    };
  };
  /** What is at an address that a person typed, with or without its scheme. */
  'setup.probe': {
    params: {
      url: string;
    };
    result: {
      /** the whole address */
      url: string;
      /** of the page; null: it has none, or was not asked */
      title: string | null;
      /** why nothing is to be seen there, in one sentence; null: it answers */
      reason: string | null;
    };
  };
  /** Whether this panel has a PIN, and since when; never the PIN. */
  'pin.state': {
    params: Record<string, never>;
    result: {
      /** held: the setting kiosk.pin, which wins */
      pin: 'missing' | 'set' | 'held';
      /** UTC; null: there is none, it is held, or a version before this one took it */
      chosenAt: string | null;
    };
  };
  /** TLS servers whose certificate the system does not trust: the pinned ones, and those refused since the start. */
  'certificates.list': {
    params: Record<string, never>;
    result: {
      certificates: Array<{
        /** name or address, as in the URL */
        host: string;
        port: number;
        /** changed: trusted once, but the server shows another certificate now, which is refused */
        state: 'refused' | 'trusted' | 'changed';
        trusted: {
          /** SHA-256 of the whole certificate, as browsers show it */
          fingerprint: string;
          subject: string;
          issuer: string;
          validFrom: string;
          validTo: string;
        } | null;
        refused: {
          /** SHA-256 of the whole certificate, as browsers show it */
          fingerprint: string;
          subject: string;
          issuer: string;
          validFrom: string;
          validTo: string;
          /** why the system does not trust it, such as DEPTH_ZERO_SELF_SIGNED_CERT */
          reason: string;
          lastSeen: string;
        } | null;
      }>;
    };
  };
  /** Pin the certificate that a server showed: from now on exactly this one is trusted at this place. */
  'certificates.trust': {
    params: {
      /** name or address, as in the URL */
      host: string;
      port: number;
      /** SHA-256 of the whole certificate, as browsers show it */
      fingerprint: string;
    };
    result: {
      /** name or address, as in the URL */
      host: string;
      port: number;
      /** changed: trusted once, but the server shows another certificate now, which is refused */
      state: 'refused' | 'trusted' | 'changed';
      trusted: {
        /** SHA-256 of the whole certificate, as browsers show it */
        fingerprint: string;
        subject: string;
        issuer: string;
        validFrom: string;
        validTo: string;
      } | null;
      refused: {
        /** SHA-256 of the whole certificate, as browsers show it */
        fingerprint: string;
        subject: string;
        issuer: string;
        validFrom: string;
        validTo: string;
        /** why the system does not trust it, such as DEPTH_ZERO_SELF_SIGNED_CERT */
        reason: string;
        lastSeen: string;
      } | null;
    };
  };
  /** Withdraw the trust; takes effect with the next connection. */
  'certificates.forget': {
    params: {
      /** name or address, as in the URL */
      host: string;
      port: number;
    };
    result: {
      status: 'forgotten';
    };
  };
  /** The tokens of this panel, and when each was last used; never the tokens themselves. */
  'token.list': {
    params: Record<string, never>;
    result: {
      tokens: Array<{
        /** `owner`: the token of the file, which cannot be revoked */
        id: string;
        name: string;
        scopes: Array<'view' | 'control' | 'manage' | 'terminal' | 'doors'>;
        /** of a token for single commands, which has no scopes; null: its scopes count */
        commands: string[] | null;
        /** UTC */
        createdAt: string;
        /** the token that it was made with; `panel`: at the glass. null: not known, and of the owner */
        by: string | null;
        expiresAt: string | null;
        /** null before its first use */
        lastUsedAt: string | null;
        /** from where it was used last */
        lastAddress: string | null;
      }>;
    };
  };
  /** Make a token with a name, and some of the scopes that the caller holds, or single commands that it may call. */
  'token.create': {
    params: {
      /** whose it is, for people: 1 to 64 characters; names may repeat. Not free: owner, panel, page, mqtt and their like */
      name: string;
      scopes?: Array<'view' | 'control' | 'manage' | 'terminal' | 'doors'>;
      /** instead of scopes: it opens these alone, and no stream of events */
      commands?: string[];
      /** UTC, in the future; without it the token stays valid */
      expiresAt?: string;
    };
    result: {
      id: string;
      name: string;
      scopes: Array<'view' | 'control' | 'manage' | 'terminal' | 'doors'>;
      /** shown this once */
      token: string;
    };
  };
  /** Refuse a token from now on, and those that were made with it, and so on; what their holders have open ends. */
  'token.revoke': {
    params: {
      id: string;
      /** for the owner: those that were made with it stay valid */
      keepChildren?: boolean;
    };
    result: {
      status: 'revoked';
      /** all that are refused from now on, the given one first */
      revoked: string[];
    };
  };
  /** Make a code that gives one caller a token: one use, ten minutes; it ends the code before it. */
  'pairing.start': {
    params: Record<string, never>;
    result: {
      code: string;
      /** the address to open, as a QR code shows it; holds the code */
      url: string;
      /** UTC */
      expiresAt: string;
    };
  };
  /** Get a token for a code of the panel; needs no token. */
  'pairing.finish': {
    params: {
      code: string;
      /** whose it is, for people: 1 to 64 characters; names may repeat. Not free: owner, panel, page, mqtt and their like */
      name: string;
    };
    result: {
      id: string;
      name: string;
      scopes: Array<'view' | 'control' | 'manage' | 'terminal' | 'doors'>;
      /** shown this once */
      token: string;
    };
  };
  /** What the kiosk page does: whether it is shown, failed, blank, or waits for its server. */
  'page.state': {
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
  /** What covers the kiosk page on the screen now, and is not in its picture. */
  'page.above': {
    params: Record<string, never>;
    result: {
      /** from above; dialog: an alert or a question of the page; settings: also the first set-up */
      above: Array<'approval' | 'call' | 'message' | 'dialog' | 'saver' | 'settings'>;
    };
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
  /** Run an expression in the kiosk page's top frame, in its own world, and await its value. */
  'page.evaluate': {
    params: {
      /** JavaScript, up to 64 KiB */
      expression: string;
    };
    result: {
      /** any JSON; undefined is null */
      value: unknown;
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
  /** Who changed what, and when; newest first. */
  'journal.read': {
    params: {
      limit?: number;
      /** only entries older than this; the time of the last entry gives the next ones */
      before?: string;
      /** ndjson: one entry in each line */
      format?: 'json' | 'ndjson';
    };
    result: {
      entries: Array<{
        /** UTC, with microseconds; no two entries have the same */
        time: string;
        command: string;
        surface: 'http' | 'page' | 'mqtt' | 'panel';
        caller: {
          id: string;
          name: string;
          /** null without a network */
          address: string | null;
        };
        /** at most 4 KiB as JSON; "…" stands for what is secret or too long */
        params: unknown;
        /** OK, or the code of the error */
        code: string;
        ms: number;
      }>;
    } | unknown | string;
  };
  /** How the panel is: load, temperature, memory, disk, network, page. */
  'health.state': {
    params: Record<string, never>;
    result: {
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
  };
  /** Load, temperature and memory of the last 24 hours, in points of 5 minutes. */
  'health.history': {
    params: Record<string, never>;
    result: {
      /** between two points */
      everySeconds: number;
      /** of the last 24 hours since the start of the service, the oldest first */
      points: Array<{
        /** whatever the clock was set to since */
        secondsAgo: number;
        /** of 1 minute */
        load: number;
        /** in °C; null: there is no sensor */
        temperature: number | null;
        /** what programs cannot get */
        memoryUsed: number;
      }>;
    };
  };
  /** The same and what was counted, as text for Prometheus. */
  'metrics.read': {
    params: Record<string, never>;
    result: string;
  };
  /** Save settings, state and projects as a zip file. Secrets are in it only with a passphrase, which the owner alone may give. */
  'backup.create': {
    params: {
      /** encrypts the secrets; without it they are left out, as are kiosk.inject and the queries of addresses */
      passphrase?: string;
      projects?: boolean;
    };
    result: Uint8Array<ArrayBuffer>;
  };
  /** Take back a backup, all of it or nothing. What it holds replaces what is there; projects only where it holds projects. */
  'backup.restore': {
    params: {
      /** in UTF-8; needed where the backup holds secrets */
      'x-passphrase'?: string;
      body: FileBody;
    };
    result: {
      /** keys of settings, names of state files such as led, and projects */
      restored: string[];
      /** which of them take effect at the next start */
      restartNeeded: string[];
      /** settings that were left alone: held by a flag or the environment, changed by the owner alone, or an address whose query the backup does not hold; state files that the owner alone restores: certificates */
      skipped?: string[];
      /** secrets of this panel that were cleared: they would be sent to another server */
      cleared?: string[];
    };
  };
  /** Make the panel as new: settings, state, projects, tokens, PIN and browser data go; the panel's id stays. The service restarts. */
  'panel.reset': {
    params: {
      /** the name of the panel, as in info */
      confirm: string;
    };
    result: {
      status: 'resetting';
    };
  };
  /** The network interfaces of the panel, as NetworkManager has them. */
  'network.state': {
    params: Record<string, never>;
    result: {
      hostname: string;
      /** what NetworkManager found at its last look; portal: the network wants a login in a browser first; unknown: it does not look */
      connectivity: 'unknown' | 'none' | 'portal' | 'limited' | 'full';
      interfaces: Array<{
        name: string;
        type: 'ethernet' | 'wifi' | 'other';
        state: 'unavailable' | 'disconnected' | 'connecting' | 'connected' | 'failed' | 'unmanaged';
        mac: string | null;
        /** of IPv4; null: the interface has no connection */
        method: 'auto' | 'manual' | 'other' | null;
        /** with prefix, such as 192.168.1.20/24; IPv4 first */
        addresses: string[];
        gateway: string | null;
        dns: string[];
        wifi: {
          ssid: string;
          signal: number;
        } | null;
      }>;
    };
  };
  /** Change the IPv4 address of an interface; after 60 s it is what it was before, unless network.confirm comes. */
  'network.change': {
    params: {
      interface: string;
      method: 'auto' | 'manual';
      address?: string;
      prefix?: number;
      gateway?: string;
      /** with auto: instead of those that the network names */
      dns?: Array<string | string>;
    };
    result: {
      hostname: string;
      /** what NetworkManager found at its last look; portal: the network wants a login in a browser first; unknown: it does not look */
      connectivity: 'unknown' | 'none' | 'portal' | 'limited' | 'full';
      interfaces: Array<{
        name: string;
        type: 'ethernet' | 'wifi' | 'other';
        state: 'unavailable' | 'disconnected' | 'connecting' | 'connected' | 'failed' | 'unmanaged';
        mac: string | null;
        /** of IPv4; null: the interface has no connection */
        method: 'auto' | 'manual' | 'other' | null;
        /** with prefix, such as 192.168.1.20/24; IPv4 first */
        addresses: string[];
        gateway: string | null;
        dns: string[];
        wifi: {
          ssid: string;
          signal: number;
        } | null;
      }>;
    };
  };
  /** Keep the last change of the network. */
  'network.confirm': {
    params: Record<string, never>;
    result: {
      status: 'confirmed';
    };
  };
  /** The Wi-Fi networks in reach; looks for them anew. */
  'network.wifi': {
    params: Record<string, never>;
    result: {
      /** the strongest first */
      networks: Array<{
        ssid: string;
        /** percent */
        signal: number;
        security: 'none' | 'wep' | 'wpa' | 'wpa2' | 'wpa3' | 'enterprise';
        active: boolean;
      }>;
    };
  };
  /** Join a Wi-Fi network; when that fails, the panel is back where it was. */
  'network.join': {
    params: {
      ssid: string;
      password?: string;
      /** the network does not tell its name: it is asked for by it */
      hidden?: boolean;
    };
    result: {
      /** the strongest first */
      networks: Array<{
        ssid: string;
        /** percent */
        signal: number;
        security: 'none' | 'wep' | 'wpa' | 'wpa2' | 'wpa3' | 'enterprise';
        active: boolean;
      }>;
    };
  };
  /** The clock of the panel and its time zone, as systemd-timedated has them. */
  'time.state': {
    params: Record<string, never>;
    result: {
      now: string;
      /** such as Europe/Berlin */
      timeZone: string;
      /** whether the clock is set by the network */
      ntp: boolean;
      synchronized: boolean;
    };
  };
  /** Set the time zone, and whether the network sets the clock; what is left out stays. */
  'time.change': {
    params: {
      timeZone?: string;
      ntp?: boolean;
    };
    result: {
      now: string;
      /** such as Europe/Berlin */
      timeZone: string;
      /** whether the clock is set by the network */
      ntp: boolean;
      synchronized: boolean;
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
  /** End all sounds and speech, also those that wait. */
  'sound.stop': {
    params: Record<string, never>;
    result: {
      status: 'stopped';
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
    result: Uint8Array<ArrayBuffer>;
  };
}

/** Answers that do not end: the stored entries first, then new ones. */
export interface Feeds {
  /** Follow what goes over the serial ports in both directions: the last 500 entries, then each new one. */
  'serial.monitor': {
    params: {
      /** only this one; without it all of them */
      port?: string;
    };
    entry: {
      /** when the first of the bytes went, UTC */
      time: string;
      /** as the board lists it, such as /dev/ttyS5 (RS-232) or /dev/ttyS9 (RS-485) */
      port: string;
      direction: 'sent' | 'received';
      /** upper case, without blanks */
      hex: string;
    };
  };
  /** Follow the log of the service: its last 500 lines, then each new one. */
  'log.read': {
    params: {
      /** only lines of this level and graver ones; without it all lines */
      level?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
    };
    entry: {
      time: string;
      level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
      msg?: string;
    };
  };
  /** Follow the console of the kiosk page: its last 500 entries, then each new one. */
  'console.read': {
    params: Record<string, never>;
    entry: {
      /** ISO 8601 in UTC */
      time: string;
      /** exception: uncaught, also a rejected promise; network: a request of the page that failed; security: refused by the browser or the panel */
      level: 'debug' | 'log' | 'info' | 'warning' | 'error' | 'exception' | 'network' | 'security';
      /** up to 4 KiB */
      text: string;
      /** the script, or the address that the request was for */
      url: string | null;
      line: number | null;
      column: number | null;
      stack: string | null;
    };
  };
}

/** Payloads of the stream of events; `snapshot` comes once, first. */
export interface Events {
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

/** The address of a call, and the place of each field; all other fields are the JSON body. */
export interface CallRow {
  readonly method: string;
  /** Fields stand in it as `{name}`. */
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** Type of the file that is sent instead of JSON, as the field `body`. */
  readonly file?: string;
}

export const calls: Readonly<Record<keyof Commands | keyof Feeds, CallRow>> = {
  'terminal.exec': { method: 'POST', path: '/api/remote/terminal/exec' },
  'rtc.alarm': { method: 'GET', path: '/api/remote/rtc/alarm' },
  'rtc.setAlarm': { method: 'POST', path: '/api/remote/rtc/alarm' },
  'display.state': { method: 'GET', path: '/api/remote/display' },
  'display.set': { method: 'POST', path: '/api/remote/display' },
  'display.activity': { method: 'POST', path: '/api/remote/display/activity' },
  'led.state': { method: 'GET', path: '/api/remote/led/state' },
  'led.on': { method: 'POST', path: '/api/remote/led/on' },
  'led.color': { method: 'POST', path: '/api/remote/led/color' },
  'gpio.write': { method: 'POST', path: '/api/remote/gpio/write' },
  'gpio.read': { method: 'POST', path: '/api/remote/gpio/read' },
  'gpio.list': { method: 'GET', path: '/api/remote/gpio' },
  'gpio.edges': { method: 'GET', path: '/api/remote/gpio/edges', query: ['limit'] },
  'gpio.pulse': { method: 'POST', path: '/api/remote/gpio/pulse' },
  'climate.state': { method: 'GET', path: '/api/remote/climate' },
  'serial.write': { method: 'POST', path: '/api/remote/serial/write' },
  'serial.read': { method: 'POST', path: '/api/remote/serial/read' },
  'serial.break': { method: 'POST', path: '/api/remote/serial/break' },
  'serial.monitor': { method: 'GET', path: '/api/manage/serial', query: ['port'] },
  'serial.close': { method: 'POST', path: '/api/remote/serial/close' },
  'udp.send': { method: 'POST', path: '/api/remote/udp/send' },
  'udp.listen': { method: 'POST', path: '/api/remote/udp/listen' },
  'udp.unlisten': { method: 'POST', path: '/api/remote/udp/unlisten' },
  'tcp.open': { method: 'POST', path: '/api/remote/tcp/open' },
  'tcp.send': { method: 'POST', path: '/api/remote/tcp/send' },
  'tcp.close': { method: 'POST', path: '/api/remote/tcp/close' },
  'modbus.read': { method: 'POST', path: '/api/remote/modbus/read' },
  'modbus.write': { method: 'POST', path: '/api/remote/modbus/write' },
  'apps.list': { method: 'GET', path: '/api/remote/apps/system' },
  'apps.launch': { method: 'POST', path: '/api/remote/apps/launch' },
  'apps.install': { method: 'POST', path: '/api/remote/apps/install' },
  'apps.uninstall': { method: 'DELETE', path: '/api/remote/apps/system/{packageName}' },
  'system.info': { method: 'GET', path: '/api/remote/info' },
  'system.reboot': { method: 'POST', path: '/api/remote/reboot' },
  'system.restart': { method: 'POST', path: '/api/remote/restart' },
  'system.simulate': { method: 'POST', path: '/api/remote/simulate' },
  'stream.open': { method: 'POST', path: '/api/stream/whep/{id}' },
  'stream.close': { method: 'DELETE', path: '/api/stream/whep/{id}' },
  'stream.size': { method: 'POST', path: '/api/stream/whep/{id}/size' },
  'stream.inspect': { method: 'GET', path: '/api/stream/inspect', query: ['url'] },
  'stream.cameras.named': { method: 'GET', path: '/api/stream/cameras/named' },
  'stream.sessions': { method: 'GET', path: '/api/stream/sessions' },
  'intercom.state': { method: 'GET', path: '/api/remote/intercom' },
  'intercom.call': { method: 'POST', path: '/api/remote/intercom/call' },
  'intercom.answer': { method: 'POST', path: '/api/remote/intercom/answer' },
  'intercom.hangup': { method: 'POST', path: '/api/remote/intercom/hangup' },
  'intercom.door': { method: 'POST', path: '/api/remote/intercom/door' },
  'intercom.dnd': { method: 'POST', path: '/api/remote/intercom/dnd' },
  'projects.list': { method: 'GET', path: '/api/manage/projects' },
  'projects.install': { method: 'POST', path: '/api/manage/projects', query: ['name'], file: 'application/zip' },
  'projects.patch': { method: 'PATCH', path: '/api/manage/projects/{id}', query: ['removed', 'sha256'], file: 'application/zip' },
  'projects.remove': { method: 'DELETE', path: '/api/manage/projects/{id}' },
  'projects.fetch': { method: 'POST', path: '/api/manage/projects/fetch' },
  'projects.activate': { method: 'POST', path: '/api/manage/projects/{id}/activate' },
  'projects.rollback': { method: 'POST', path: '/api/manage/projects/{id}/rollback' },
  'kiosk.reload': { method: 'POST', path: '/api/manage/reload' },
  'kiosk.screenshot': { method: 'GET', path: '/api/manage/screenshot' },
  'fleet.list': { method: 'GET', path: '/api/manage/fleet' },
  'fleet.rollout': { method: 'POST', path: '/api/manage/fleet/rollout' },
  'fleet.rollouts': { method: 'GET', path: '/api/manage/fleet/rollout' },
  'fleet.progress': { method: 'GET', path: '/api/manage/fleet/rollout/{id}' },
  'fleet.stop': { method: 'DELETE', path: '/api/manage/fleet/rollout/{id}' },
  'update.state': { method: 'GET', path: '/api/manage/update' },
  'update.install': { method: 'POST', path: '/api/manage/update', query: ['older', 'restart'], file: 'application/octet-stream' },
  'update.fetch': { method: 'POST', path: '/api/manage/update/fetch' },
  'update.return': { method: 'POST', path: '/api/manage/update/return' },
  'settings.read': { method: 'GET', path: '/api/manage/settings' },
  'settings.change': { method: 'PATCH', path: '/api/manage/settings' },
  'setup.find': { method: 'GET', path: '/api/manage/setup/pages' },
  'setup.probe': { method: 'POST', path: '/api/manage/setup/probe' },
  'pin.state': { method: 'GET', path: '/api/manage/pin' },
  'certificates.list': { method: 'GET', path: '/api/manage/certificates' },
  'certificates.trust': { method: 'POST', path: '/api/manage/certificates/trust' },
  'certificates.forget': { method: 'POST', path: '/api/manage/certificates/forget' },
  'token.list': { method: 'GET', path: '/api/manage/tokens' },
  'token.create': { method: 'POST', path: '/api/manage/tokens' },
  'token.revoke': { method: 'DELETE', path: '/api/manage/tokens/{id}', query: ['keepChildren'] },
  'pairing.start': { method: 'POST', path: '/api/manage/pairing' },
  'pairing.finish': { method: 'POST', path: '/api/pair' },
  'log.read': { method: 'GET', path: '/api/manage/log', query: ['level'] },
  'page.state': { method: 'GET', path: '/api/remote/page' },
  'page.above': { method: 'GET', path: '/api/remote/page/above' },
  'page.show': { method: 'POST', path: '/api/remote/page/show' },
  'page.home': { method: 'POST', path: '/api/remote/page/home' },
  'console.read': { method: 'GET', path: '/api/manage/console' },
  'page.evaluate': { method: 'POST', path: '/api/manage/page/evaluate' },
  'message.show': { method: 'POST', path: '/api/remote/message' },
  'message.remove': { method: 'DELETE', path: '/api/remote/message/{id}' },
  'journal.read': { method: 'GET', path: '/api/manage/journal', query: ['limit', 'before', 'format'] },
  'health.state': { method: 'GET', path: '/api/remote/health' },
  'health.history': { method: 'GET', path: '/api/remote/health/history' },
  'metrics.read': { method: 'GET', path: '/metrics' },
  'backup.create': { method: 'POST', path: '/api/manage/backup' },
  'backup.restore': { method: 'POST', path: '/api/manage/restore', headers: ['x-passphrase'], file: 'application/zip' },
  'panel.reset': { method: 'POST', path: '/api/manage/reset' },
  'network.state': { method: 'GET', path: '/api/manage/network' },
  'network.change': { method: 'POST', path: '/api/manage/network' },
  'network.confirm': { method: 'POST', path: '/api/manage/network/confirm' },
  'network.wifi': { method: 'GET', path: '/api/manage/network/wifi' },
  'network.join': { method: 'POST', path: '/api/manage/network/wifi' },
  'time.state': { method: 'GET', path: '/api/manage/time' },
  'time.change': { method: 'POST', path: '/api/manage/time' },
  'sound.play': { method: 'POST', path: '/api/remote/sound' },
  'sound.stop': { method: 'DELETE', path: '/api/remote/sound' },
  'sound.speak': { method: 'POST', path: '/api/remote/speak' },
  'ir.list': { method: 'GET', path: '/api/remote/ir' },
  'ir.send': { method: 'POST', path: '/api/remote/ir/send' },
  'ir.learn': { method: 'POST', path: '/api/remote/ir/learn' },
  'joins.list': { method: 'GET', path: '/api/remote/joins' },
  'joins.set': { method: 'POST', path: '/api/remote/joins' },
  'stream.search': { method: 'GET', path: '/api/stream/cameras', query: ['seconds'] },
  'stream.profiles': { method: 'GET', path: '/api/stream/profiles', query: ['url'] },
  'stream.ptz': { method: 'POST', path: '/api/stream/ptz' },
  'stream.snapshot': { method: 'GET', path: '/api/stream/snapshot', query: ['url', 'width'] },
};
