import { Panel, PanelError } from '../../client/index.ts';

/** What the page of a test uses: the client as a program in a browser has it. */
Object.assign(window, {
  async tryClient(address: string, token: string): Promise<unknown> {
    const panel = new Panel(address, { token });
    const { state } = await panel.call('led.color', { red: 9, green: 8, blue: 7 });
    const refused = await panel
      .call('projects.remove', { id: 'none' })
      .catch((error: unknown) => error instanceof PanelError && error.code);
    const ends = new AbortController();
    const names: string[] = [];
    try {
      for await (const { name } of panel.events({ signal: ends.signal })) {
        names.push(name);
        if (name === 'snapshot') void panel.call('gpio.write', { pin: 2, level: 1 });
        if (name === 'gpio') ends.abort(new Error('enough'));
      }
    } catch (error) {
      names.push((error as Error).message);
    }
    return { state, refused, names };
  },
});
