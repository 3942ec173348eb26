package validate

// JPEG and the functions below are types that many applications take, with what
// their first bytes show. Any other is a [Type] of the application's own.
func JPEG() Type { return Type{Media: "image/jpeg", Extensions: []string{".jpg", ".jpeg"}} }

// PNG images; APNG shows itself as such, and is taken too.
func PNG() Type {
	return Type{Media: "image/png", Extensions: []string{".png"}, Looks: []string{"image/vnd.mozilla.apng"}}
}

// GIF images.
func GIF() Type { return Type{Media: "image/gif", Extensions: []string{".gif"}} }

// WebP images.
func WebP() Type { return Type{Media: "image/webp", Extensions: []string{".webp"}} }

// PDF documents.
func PDF() Type { return Type{Media: "application/pdf", Extensions: []string{".pdf"}} }

// MP4 films.
func MP4() Type {
	return Type{Media: "video/mp4", Extensions: []string{".mp4", ".m4v"}, Looks: []string{"video/x-m4v"}}
}

// CSV tables. One column, or one line, shows plain text.
func CSV() Type {
	return Type{Media: "text/csv", Extensions: []string{".csv"}, Looks: []string{"text/plain"}}
}

// Text is plain text. What a browser would run shows itself as that (HTML, SVG,
// scripts) and is not taken under it.
func Text() Type {
	return Type{Media: "text/plain", Extensions: []string{".txt"}, Looks: []string{"text/csv", "text/tab-separated-values"}}
}

// ZIP archives. Documents that are archives inside show themselves as what they
// are, and are not taken under it.
func ZIP() Type { return Type{Media: "application/zip", Extensions: []string{".zip"}} }
