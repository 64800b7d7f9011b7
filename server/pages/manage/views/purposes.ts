/** What a person wants to do, and the settings for it: whole keys, or the beginning of keys. */
export const purposes = {
  panel: ['device.', 'host', 'board', 'wizard', 'keyboard.'],
  show: [
    'kiosk.url',
    'kiosk.project',
    'kiosk.pages',
    'kiosk.parameters',
    'projects.parameters',
    'kiosk.scrollbars',
    'kiosk.inject',
    'kiosk.logins',
    'idle.',
  ],
  recovery: ['kiosk.deadPageCheck', 'kiosk.memoryLimit', 'kiosk.quietHour'],
  rights: ['bridge.', 'apps.', 'terminal.', 'approval.', 'kiosk.secureOrigins', 'kiosk.authorities'],
  reach: ['http.', 'https.', 'token', 'kiosk.pin', 'mqtt.'],
  cameras: ['streams.'],
  intercom: ['sip.'],
  service: ['log.', 'update.', 'dataDir', 'kiosk.'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Purpose = keyof typeof purposes;

/** The purpose of a setting: the longest entry that fits; what nobody sorted is for technicians. */
export function purposeOf(key: string): Purpose {
  let best: Purpose = 'service';
  let length = 0;
  for (const [purpose, entries] of Object.entries(purposes) as [Purpose, readonly string[]][])
    for (const entry of entries) {
      const fits = entry.endsWith('.') ? key.startsWith(entry) : key === entry;
      if (fits && entry.length > length) [best, length] = [purpose, entry.length];
    }
  return best;
}
