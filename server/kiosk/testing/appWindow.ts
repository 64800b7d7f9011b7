// Another program with one window over the whole screen of DISPLAY: `node appWindow.ts '#RRGGBB' [class]`.
import x11 from 'x11';

const colour = Number.parseInt(process.argv[2]!.slice(1), 16);
const program = process.argv[3];
/** WM_CLASS and STRING (Xatom.h). */
const [WM_CLASS, STRING] = [67, 31];
/** A program with a class is as slow as a browser between making its window and mapping it, in milliseconds. */
const MAP_MS = 100;

x11.createClient({ display: process.env.DISPLAY! }, (error, { client, screen: [screen] }) => {
  if (error) throw error;
  const { root, pixel_width: width, pixel_height: height } = screen!;
  const window = client.AllocID();
  client.CreateWindow(window, root, 0, 0, width, height, 0, 0, 0, 0, { backgroundPixel: colour });
  if (program === undefined) return client.MapWindow(window);
  client.ChangeProperty(0, window, WM_CLASS, STRING, 8, Buffer.from(`${program}\0${program}\0`));
  setTimeout(() => client.MapWindow(window), MAP_MS);
});
