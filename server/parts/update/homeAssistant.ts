import { type Entity, type EntityContext, type EntityMaker, InvalidPayload } from '../homeAssistant.ts';

/** What Home Assistant reads, made from `state/update`; it takes no summary over 255 characters. */
const TEMPLATE = [
  "{{ {'installed_version': value_json.installed",
  "'latest_version': value_json.available.version if value_json.available else value_json.installed",
  "'title': 'Faceplate'",
  "'release_summary': (value_json.available.notes or '')[:255] if value_json.available else ''",
  "'in_progress': value_json.state != 'idle'",
  "'update_percentage': value_json.progress} | to_json }}",
].join(', ');

interface UpdateNow {
  /** Whether the panel can be another version. */
  readonly hasUpdates: boolean;
}

/** The version of the panel, and the one that its channel offers. */
export const homeAssistant: EntityMaker<UpdateNow> = () => ({
  groups: [{ order: 180, entities: version }],
});

function version({ now, topics, word, may }: EntityContext<UpdateNow>): Entity[] {
  if (!now.hasUpdates) return [];
  const mayInstall = may('update.fetch');
  return [
    {
      key: 'update',
      platform: 'update',
      name: word('Version of the panel', 'Version des Panels', 'Versión del panel'),
      config: {
        device_class: 'firmware',
        entity_category: 'config',
        state_topic: topics.state('update'),
        value_template: TEMPLATE,
        ...(mayInstall && { payload_install: 'INSTALL' }),
      },
      ...(mayInstall && {
        set: async (payload, call) => {
          if (payload !== 'INSTALL') throw new InvalidPayload('must be INSTALL');
          await call('update.fetch', { older: false, restart: true });
        },
      }),
    },
  ];
}
