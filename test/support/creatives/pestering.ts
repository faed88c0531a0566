/** What a page may try without harm: each is refused, told to its site, and the page plays on. */
const ATTEMPTS: readonly (readonly [what: string, code: string, refusal: RegExp])[] = [
  ["alert", "alert('x')", /^undefined$/],
  ["confirm", "confirm('x')", /^false$/],
  ["prompt", "prompt('x')", /^(null|Error)$/],
  ["print", "print()", /^undefined$/],
  ["a window", "String(open('/elsewhere.html'))", /^null$/],
  ["a named window", "String(open('/elsewhere.html', 'other', 'popup,width=300'))", /^null$/],
  ["a permission to notify", "await Notification.requestPermission()", /^denied$/],
  [
    "a place",
    "await new Promise((r) => navigator.geolocation.getCurrentPosition(() => r('told'), (e) => r('code ' + e.code)))",
    /^code 1$/,
  ],
  [
    "camera and microphone",
    "navigator.mediaDevices ? await navigator.mediaDevices.getUserMedia({ video: true, audio: true }).then(() => 'granted') : 'none'",
    /Error$/,
  ],
  ["the display's picture", "await navigator.mediaDevices.getDisplayMedia().then(() => 'granted')", /Error$/],
  ["the whole screen", "await document.documentElement.requestFullscreen().then(() => 'granted')", /Error$/],
  ["the pointer", "await document.body.requestPointerLock().then(() => 'granted')", /Error$/],
  ["the keyboard", "await navigator.keyboard.lock().then(() => 'granted')", /Error$/],
  ["the clipboard", "await navigator.clipboard.readText()", /Error$/],
  ["midi", "await navigator.requestMIDIAccess().then(() => 'granted')", /Error$/],
  ["a usb device", "await navigator.usb.requestDevice({ filters: [] }).then(() => 'granted')", /Error$/],
  [
    "a bluetooth device",
    "await navigator.bluetooth.requestDevice({ acceptAllDevices: true }).then(() => 'granted')",
    /Error$/,
  ],
  ["a serial port", "await navigator.serial.requestPort().then(() => 'granted')", /Error$/],
  ["a wake lock", "await navigator.wakeLock.request('screen').then(() => 'granted')", /Error$/],
  ["a file", "await showSaveFilePicker().then(() => 'granted')", /Error$/],
  [
    "a download",
    "{ const a = document.createElement('a'); a.href = 'data:text/plain,evil'; a.download = 'evil.txt'; a.click(); 'clicked' }",
    /^clicked$/,
  ],
  [
    "a form",
    "{ const f = document.createElement('form'); f.action = '/elsewhere.html'; document.body.append(f); f.submit(); 'sent' }",
    /^sent$/,
  ],
  ["another entry", "{ history.pushState(1, '', '#x'); history.back(); location.hash = 'y'; 'kept' }", /^kept$/],
  [
    "a sound",
    "{ const c = new AudioContext(); const o = c.createOscillator(); o.connect(c.destination); o.start(); 'playing' }",
    /^playing$/,
  ],
  ["the player", "typeof require + typeof process + typeof module", /^undefinedundefinedundefined$/],
  [
    "an external program",
    "{ const f = document.createElement('iframe'); f.src = 'mailto:a@b.c'; document.body.append(f); 'asked' }",
    /^asked$/,
  ],
];

/** Each attempt is given this long, so that one that waits for somebody to answer does not hide the others. */
const WITHIN_MS = 1_000;

/** Makes all attempts, at once, and reports what came of each. */
export const PESTERING = ATTEMPTS.map(([what, code]) => {
  const attempt = `(async () => eval(${JSON.stringify(`(async () => ${asValue(code)})()`)}))()`;
  const waited = `new Promise((resolve) => setTimeout(resolve, ${WITHIN_MS}, "no answer"))`;
  return `Promise.race([${attempt}, ${waited}]).then((how) => report(${JSON.stringify(what)}, String(how)), (error) => report(${JSON.stringify(what)}, error.name));`;
}).join("\n");

/** What is to come of each. */
export const REFUSALS = ATTEMPTS.map(([what, , refusal]) => [what, refusal] as const);

function asValue(code: string): string {
  return code.startsWith("{") ? `{ ${code.slice(1, -1).replace(/; ('[a-z]+') $/, "; return $1;")} }` : code;
}
