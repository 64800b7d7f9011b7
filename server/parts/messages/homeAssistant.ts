import type { PageState } from '../../kiosk/contract.ts';
import { type EntityMaker, InvalidPayload } from '../homeAssistant.ts';
import { messageParams } from './contract.ts';

interface MessagesNow {
  readonly page: PageState | undefined;
}

/** Messages above the page, of a panel that shows one. */
export const homeAssistant: EntityMaker<MessagesNow> = () => ({
  groups: [
    {
      order: 60,
      entities: ({ now: { page }, word }) =>
        page === undefined
          ? []
          : [
              {
                key: 'message',
                platform: 'notify',
                name: word('Message', 'Nachricht', 'Mensaje'),
                needs: 'message.show',
                config: { icon: 'mdi:message-text' },
                set: async (payload, call) => {
                  const message = messageParams.safeParse({ text: payload });
                  if (!message.success) throw new InvalidPayload('must be a text of 1 to 2,000 characters');
                  await call('message.show', message.data);
                },
              },
            ],
    },
  ],
});
