// Submits the only form of the page, which leads back to an OAuth client.

document.forms[0]?.submit()
