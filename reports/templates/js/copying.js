// Copies text to the clipboard; if the browser refuses, into a field to copy from by hand.

lath.copy = async (text, what) => {
  const field = lath.byId("copy-field");
  try {
    await navigator.clipboard.writeText(text);
    field.hidden = true;
    lath.byId("copied").textContent = `${what} copied.`;
  } catch {
    field.hidden = false;
    lath.byId("copy-text").value = text;
    lath.byId("copy-text").select();
    lath.byId("copied").textContent = `The browser does not allow access to its clipboard. Copy the ${what.toLowerCase()} from the selected text below.`;
  }
};
