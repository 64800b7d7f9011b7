import { type EntityMaker, mustPress } from '../homeAssistant.ts';

interface PowerNow {
  readonly canReboot: boolean;
}

/** The restart of the panel. */
export const homeAssistant: EntityMaker<PowerNow> = () => ({
  groups: [
    {
      order: 170,
      entities: ({ now, word }) =>
        now.canReboot
          ? [
              {
                key: 'reboot',
                platform: 'button',
                name: word('Restart panel', 'Panel neu starten', 'Reiniciar el panel'),
                needs: 'system.reboot',
                config: { device_class: 'restart', entity_category: 'config' },
                set: async (payload, call) => {
                  mustPress(payload);
                  await call('system.reboot', {});
                },
              },
            ]
          : [],
    },
  ],
});
